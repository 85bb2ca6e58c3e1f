/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet and the context that the user's programs get. */
#ifndef RQSPIN_RUN_INPUT_H
#define RQSPIN_RUN_INPUT_H

#include <stdbool.h>

#include "run/driver.h"

#define INPUT_FILES_MAX 64

/* Files as named on the command line; "-" is standard input. */
struct input_files {
	const char *path[INPUT_FILES_MAX];
	unsigned int nr;
};

/* False: the list is full. */
bool input_files_add(struct input_files *files, const char *path);
/* How often standard input is among them. */
unsigned int input_files_stdin(const struct input_files *files);

/*
 * One file is for all roles. If there are as many files as roles, each role gets one, in their
 * order. Returns 0, or -errno after printing why. Call input_free() in any case.
 */
int input_read(struct drive *d, const struct input_files *data, const struct input_files *ctx);
void input_free(struct drive *d);

/* Can all roles, whose types are known, work on their input? 0, or -EINVAL after printing why. */
int input_check(const struct drive *d);

#endif
