/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compiles a replay's source into an object with clang, if there is one. */
#ifndef RQSPIN_REPLAY_COMPILE_H
#define RQSPIN_REPLAY_COMPILE_H

#include <stddef.h>

#define FOLDER_SOURCE "replay.bpf.c"

/* The folder's Makefile uses them, too. */
#define COMPILE_FLAGS "-g -O2 -target bpf -mcpu=v3 -Wall -DSAMPLE_NO_VMLINUX_H"

/*
 * Compile the source in the open folder with the headers in @include; CLANG in the environment
 * names another compiler. Its messages go to standard error. Returns 0, and the caller frees the
 * object; -ENOENT: there is no compiler, or no header of libbpf; -ENOEXEC: the source cannot be
 * compiled, and the error was printed.
 */
int compile_image(int dir, const char *include, void **image, size_t *size);

#endif
