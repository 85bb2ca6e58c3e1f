// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <kernel/bpf/rqspinlock.h>

#include "graph.h"
#include "judge.h"

/* A cycle that is this old should have been found many times over. */
#define MISSED_NS (100 * NSEC_PER_MSEC)

/*
 * NESTED is right for a lock that a lower level acquires or releases, and in an NMI for any lock
 * while a lower level does so.
 */
static bool nested_ok(const struct ghost_ctx *c, int lock)
{
	int level;

	for (level = 0; level < c->level; level++) {
		const struct ghost_ctx *below = &ghost_ctx[c->cpu][level];

		if (below->touch == lock || (shim_nmi && below->touch != GHOST_NONE))
			return true;
	}
	return false;
}

/* AA is exact, except while a lower level has not recorded its acquisition or release yet. */
static bool aa_ok(const struct ghost_ctx *c, int lock)
{
	int level;

	for (level = 0; level <= c->level; level++) {
		const struct ghost_ctx *below = &ghost_ctx[c->cpu][level];

		if ((level < c->level && below->touch == lock) || ghost_holds(below, lock))
			return true;
	}
	return false;
}

static void judge_cycle(struct ghost_ctx *c, int lock)
{
	switch (graph_cycle_within(c, c->want_begin, shim_clock())) {
	case GRAPH_NO:
		ghost_fault(&ghost_faults.false_verdict, c, lock,
			    "-EDEADLK, and there was no cycle");
		break;
	case GRAPH_UNKNOWN:
		__atomic_fetch_add(&ghost_faults.unclear, 1, __ATOMIC_RELAXED);
		break;
	case GRAPH_YES:
		break;
	}
}

static void judge_deadlock(struct ghost_ctx *c, int lock, u32 kind)
{
	if (kind == RES_KIND_NESTED) {
		c->nested++;
		if (!nested_ok(c, lock))
			ghost_fault(&ghost_faults.false_nested, c, lock, "NESTED without a reason");
		return;
	}
	c->deadlocks++;
	if (kind != RES_KIND_AA)
		judge_cycle(c, lock);
	else if (!aa_ok(c, lock))
		ghost_fault(&ghost_faults.false_verdict, c, lock, "AA, but not its owner");
}

static void judge_timeout(struct ghost_ctx *c, int lock, u64 limit_ns)
{
	u64 now = shim_clock();

	c->timeouts++;
	if (now - c->want_begin < limit_ns)
		ghost_fault(&ghost_faults.early, c, lock, "-ETIMEDOUT before the time limit");
	if (graph_cycle_missed(now, MISSED_NS))
		ghost_fault(&ghost_faults.missed, c, lock, "-ETIMEDOUT in an old cycle");
}

void judge_failure(struct ghost_ctx *c, int err, u32 kind, u64 limit_ns)
{
	if (kind == RES_KIND_NONE || (err == -ETIMEDOUT) != (kind == RES_KIND_TIMEOUT))
		ghost_fault(&ghost_faults.silent, c, c->want, "an error without its event");
	if (err == -EDEADLK)
		judge_deadlock(c, c->want, kind);
	else
		judge_timeout(c, c->want, limit_ns);
}
