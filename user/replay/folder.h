/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A replay as a folder: sources, Makefile, object. */
#ifndef RQSPIN_REPLAY_FOLDER_H
#define RQSPIN_REPLAY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct folder_object {
	const void *image; /* for where nothing can be compiled */
	size_t size;
};

/*
 * Writes all of it, and compiles it if that can be done here: then *compiled is true. 0, or -errno
 * after it has said why: -EEXIST if there is something else in the folder,
 * -EPERM if it is somebody else's, or others may write into it.
 */
int folder_write(const char *dir, const char *source, const struct folder_object *object,
		 bool *compiled);

#define FOLDER_OBJECT "replay.bpf.o"

#endif
