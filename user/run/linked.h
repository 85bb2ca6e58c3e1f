/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An object of the user's in which calls of the lock functions are counted. */
#ifndef RQSPIN_RUN_LINKED_H
#define RQSPIN_RUN_LINKED_H

#include <stddef.h>

/**
 * struct linked - the user's object, linked with bpf/counted.bpf.c
 * @elf: NULL if it could not be made
 * @size: of @elf
 * @why: one line that says why it could not be made
 */
struct linked {
	void *elf;
	size_t size;
	char why[128];
};

/* Context: before any thread is started. 0 or -errno. linked_free() in any case. */
int linked_make(struct linked *l, const char *path);
void linked_free(struct linked *l);

#endif
