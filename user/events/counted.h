/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of programs that have been counted: a program that is loaded again is not counted again. */
#ifndef RQSPIN_TRACE_COUNTED_H
#define RQSPIN_TRACE_COUNTED_H

#include <stdbool.h>

#define COUNTED_MAX  256 /* more names are counted each time */
#define COUNTED_NAME 16	 /* as long as in the kernel */

struct counted {
	char names[COUNTED_MAX][COUNTED_NAME];
	int nr;
};

/* Is the program the first with its name? Each empty name counts as a new one. */
bool counted_first(struct counted *c, const char *name);
bool counted_has(const struct counted *c, const char *name);

#endif
