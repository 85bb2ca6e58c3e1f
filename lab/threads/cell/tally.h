/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread did with the lock, and the sum of all threads. */
#ifndef LAB_TALLY_H
#define LAB_TALLY_H

#include "../lib/runs.h"
#include "cell.h"

/**
 * struct tally - what one thread did, or all
 * @ops: operations
 * @timeouts, @deadlocks: acquisitions that failed
 * @longest: the longest wait, cycles; in run.c of those that got the lock
 * @took: cycles that the thread worked
 * @waits: acquisitions that are samples, cycles from the call to the lock being held
 * @runs: of the lock's owner
 */
struct tally {
	u64 ops, timeouts, deadlocks, longest, took;
	struct histogram waits;
	struct lab_runs runs;
};

static inline u64 cycles_to_ns(u64 cycles)
{
	return (unsigned __int128)cycles * shim_clock_mult >> SHIM_CLOCK_SHIFT;
}

void tally_add(struct tally *sum, const struct tally *t);

/* Percentiles, ns; @each: every so manyth acquisition of a thread is a sample. */
json_t *waits_json(const struct histogram *waits, u32 each);

/* How often the lock changed its owner, and the lengths of the runs between. */
json_t *runs_json(const struct lab_runs *runs);

#endif /* LAB_TALLY_H */
