/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A replay's source into an object, by clang, if there is one. */
#ifndef RQSPIN_REPLAY_COMPILE_H
#define RQSPIN_REPLAY_COMPILE_H

#include <stddef.h>

#define FOLDER_SOURCE "replay.bpf.c"

/* Of the folder's Makefile, too. */
#define COMPILE_FLAGS "-g -O2 -target bpf -mcpu=v3 -Wall -DSAMPLE_NO_VMLINUX_H"

/*
 * Compile the source in the open folder with the headers in include; CLANG in the environment names
 * another compiler. What it says goes to standard error. 0: the object, to be freed; -ENOENT: there
 * is no compiler, or no header of libbpf; -ENOEXEC: it cannot be compiled, which has been said.
 */
int compile(int dir, const char *include, void **image, size_t *size);

#endif
