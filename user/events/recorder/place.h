/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the recorder is: a folder of bpffs, which comes and goes as a whole. It is made under
 * another name, and gets its own when it is complete; one command at a time changes it.
 */
#ifndef RQSPIN_RECORD_PLACE_H
#define RQSPIN_RECORD_PLACE_H

#include <stdbool.h>

#define PLACE_BPFFS "/sys/fs/bpf"
#define PLACE_PATH  256

/**
 * struct place - the folder
 * @root: the folder of rqspin in that bpffs
 * @whole: a complete recorder
 * @unfinished: one that is being made or removed, or that a killed command has left
 * @lock: descriptor of @root while this command may change it, else -1
 */
struct place {
	char root[PLACE_PATH];
	char whole[PLACE_PATH + 32];
	char unfinished[PLACE_PATH + 32];
	int lock;
};

/* 0, or -errno after printing why: -EOPNOTSUPP if there is no bpffs. */
int place_find(struct place *p, const char *bpffs);

bool place_has_whole(const struct place *p);
bool place_has_unfinished(const struct place *p);

/* Makes the root if need be. 0, or -errno after printing why; -EBUSY: another command has it. */
int place_lock(struct place *p);
/* Removes the root, too, if nothing is left in it. */
void place_unlock(struct place *p);

/* Call these while it is locked. 0, or -errno after printing why. */
int place_begin(struct place *p);  /* an empty unfinished folder */
int place_finish(struct place *p); /* the unfinished one is the recorder from now on */
int place_remove(struct place *p); /* both, if they are there */

#endif
