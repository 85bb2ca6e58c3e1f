/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a walk had to stop or to forget: counted for each program, and told. */
#ifndef RQSPIN_CHECK_BOUNDS_H
#define RQSPIN_CHECK_BOUNDS_H

#include <stdbool.h>

/**
 * struct bounds - what a walk did not do
 * @stopped: why paths were left, or NULL: then something may have been missed
 * @spent: since the budget is used up: of time, or of memory
 * @held: acquisitions on paths that hold more than can be kept: missed, too
 * @callback: a function that takes one of the program's to call it, and is not known; or ""
 * @arena_locks: calls of functions that may take locks in an arena, @arena_atomics: exchanges that
 *	may take one; neither was followed
 * @arena_kept: places that take such a lock: how it is released is not known
 * @maps: instructions that refer to maps that could not be read: their locks are not known
 * @conditions: comparisons that were forgotten
 * @joined: states that became one with unknown numbers
 * @deep: numbers whose expression grew too long
 *
 * The last three cost precision, not paths: a finding may be false, or become "undecided".
 */
struct bounds {
	const char *stopped;
	char callback[64];
	unsigned long arena_locks, arena_atomics, arena_kept;
	bool spent;
	unsigned long held, maps;
	unsigned long conditions, joined, deep;
};

#endif
