/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many acquisitions in a row one thread gets before the lock changes its owner. */
#ifndef LAB_RUNS_H
#define LAB_RUNS_H

#include <stdbool.h>

#include "histogram.h"

/**
 * struct lab_runs - what one thread had of a lock
 * @length: acquisitions of its present run
 * @taken: acquisitions of its runs that are over
 * @lengths: of these
 */
struct lab_runs {
	unsigned long long length, taken;
	struct histogram lengths;
};

static inline void lab_run_end(struct lab_runs *r)
{
	if (!r->length)
		return;
	r->taken += r->length;
	histogram_add(&r->lengths, r->length);
	r->length = 0;
}

/* After an acquisition: did the thread also have the one before? Whoever has the lock knows. */
static inline void lab_run_note(struct lab_runs *r, bool again)
{
	if (!again)
		lab_run_end(r);
	r->length++;
}

/* Adds the runs that are over. */
void lab_runs_merge(struct lab_runs *sum, const struct lab_runs *r);

/* How often the lock changed its owner. @r: the runs of all threads */
unsigned long long lab_owner_changes(const struct lab_runs *r);

#endif /* LAB_RUNS_H */
