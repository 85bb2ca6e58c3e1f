/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A replay as a folder: sources, Makefile, object. */
#ifndef RQSPIN_REPLAY_FOLDER_H
#define RQSPIN_REPLAY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct folder_object {
	const void *image; /* the built-in one, for machines without a compiler */
	size_t size;
};

/*
 * Writes all files, and compiles the source if this machine can: then *compiled is true. Returns 0,
 * or -errno after printing why: -EEXIST if the folder has other files, -EPERM if it belongs to
 * another user, or others may write into it.
 */
int folder_write(const char *dir, const char *source, const struct folder_object *object,
		 bool *compiled);

#define FOLDER_OBJECT "replay.bpf.o"

#endif
