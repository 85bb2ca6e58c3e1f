/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a walk had to stop or to forget: counted for each program and reported. */
#ifndef RQSPIN_CHECK_BOUNDS_H
#define RQSPIN_CHECK_BOUNDS_H

#include <stdbool.h>

/**
 * struct bounds - what a walk did not do
 * @stopped: why paths were not followed to their ends, or NULL; if set, findings may be missing
 * @spent: the reason is that the budget, of time or of memory, is used up
 * @held: acquisitions beyond the locks that a path can remember: findings may be missing, too
 * @callback: an unknown kernel function that the program passes a callback to; or ""
 * @arena_locks: calls of functions that may take locks in an arena, @arena_atomics: exchanges that
 *	may take one; neither was followed
 * @arena_kept: places that take a lock in an arena that is never released, or not in a known way
 * @maps: instructions that refer to maps that could not be read: locks in these maps are not known
 * @conditions: comparisons that were forgotten
 * @joined: states that were merged into one with unknown numbers
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
