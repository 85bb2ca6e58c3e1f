/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All paths of a program, with the locks that are held on them. */
#ifndef RQSPIN_CHECK_WALK_H
#define RQSPIN_CHECK_WALK_H

#include "check/bounds.h"
#include "check/calls.h"
#include "check/record.h"

/**
 * walk_prog() - what a program does with locks
 * @set: its programs and maps
 * @prog: number of the program
 * @calls: resolves calls of kernel functions
 * @record: gets what is found
 * @bounds: gets what was not looked at, or only roughly
 *
 * Return: 0 or -ENOMEM
 */
int walk_prog(const struct check_set *set, __u32 prog, struct calls *calls, struct record *record,
	      struct bounds *bounds);

#endif
