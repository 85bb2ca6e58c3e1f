/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs wait for a lock just now: those that are found in the slow path. */
#ifndef RQSPIN_TRACE_SPINNING_H
#define RQSPIN_TRACE_SPINNING_H

#include <stdbool.h>

struct heldtab;

/**
 * struct spinning - CPUs that wait, by a snapshot of the tables of held locks
 * @waits: one per CPU: the CPU was seen to wait for the newest entry of its table
 */
struct spinning {
	bool *waits;
};

/*
 * Looks at the latest snapshot. If several CPUs have the same lock as their newest, samples these
 * CPUs for two milliseconds, and then takes a new snapshot. A CPU whose table has changed
 * meanwhile, or whose interrupts are off, is not seen. 0 or -errno of the snapshot.
 */
int spinning_find(struct spinning *sp, struct heldtab *ht);
void spinning_free(struct spinning *sp);

#endif
