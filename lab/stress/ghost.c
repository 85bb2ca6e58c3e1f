// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "ghost.h"
#include "graph.h"

/* A cycle that is this old should have been found many times over. */
#define MISSED_NS (100 * NSEC_PER_MSEC)
#define SHORT_NS  100
#define MAX_SAID  3

struct ghost_faults ghost_faults;
struct ghost_ctx ghost_ctx[GHOST_CPUS][GHOST_LEVELS];
static u32 owner[GHOST_LOCKS];

static void fault(u64 *count, const struct ghost_ctx *c, int lock, const char *what)
{
	if (__atomic_fetch_add(count, 1, __ATOMIC_RELAXED) >= MAX_SAID)
		return;
	fprintf(stderr, "FAULT: CPU %d level %d lock %d: %s\n", c->cpu, c->level, lock, what);
	ghost_dump();
}

void ghost_reset(void)
{
	int cpu, level, i;

	memset(&ghost_faults, 0, sizeof(ghost_faults));
	memset(ghost_ctx, 0, sizeof(ghost_ctx));
	memset(owner, 0, sizeof(owner));
	for (cpu = 0; cpu < GHOST_CPUS; cpu++) {
		for (level = 0; level < GHOST_LEVELS; level++) {
			struct ghost_ctx *c = &ghost_ctx[cpu][level];

			c->cpu = cpu;
			c->level = level;
			c->want = c->touch = GHOST_NONE;
			for (i = 0; i < GHOST_HELD; i++)
				c->held[i].lock = GHOST_NONE;
		}
	}
}

static u32 name_of(const struct ghost_ctx *c)
{
	return c->cpu * GHOST_LEVELS + c->level + 1;
}

/* The reader looks at what is there now before the log, so nothing falls between. */
static void remember(struct ghost_log *log, const struct ghost_span *span)
{
	log->span[log->n % GHOST_LOG] = *span;
	smp_store_release(&log->n, log->n + 1);
}

void ghost_want(struct ghost_ctx *c, int lock)
{
	WRITE_ONCE(c->touch, lock);
	WRITE_ONCE(c->want_begin, shim_clock());
	smp_store_release(&c->want, lock);
}

static void free_slot(struct ghost_span *s)
{
	smp_store_release(&s->lock, GHOST_NONE);
}

/* Slots in use or not: one may be half written when an interrupt comes. */
static void mark_waited(int cpu, int level)
{
	int i;

	for (; level >= 0; level--) {
		for (i = 0; i < GHOST_HELD; i++)
			ghost_ctx[cpu][level].waited[i] = true;
	}
}

/* A wait shorter than the deadlock check itself was in no cycle that anybody found. */
static void end_want(struct ghost_ctx *c)
{
	struct ghost_span span = { c->want_begin, shim_clock(), c->want };

	if (span.end - span.begin >= SHORT_NS) {
		mark_waited(c->cpu, c->level);
		remember(&c->wants, &span);
	}
	smp_store_release(&c->want, GHOST_NONE);
}

static int slot_of(const struct ghost_ctx *c, int lock)
{
	int i;

	for (i = 0; i < GHOST_HELD; i++) {
		if (c->held[i].lock == lock)
			return i;
	}
	return -1;
}

bool ghost_holds(const struct ghost_ctx *c, int lock)
{
	return slot_of(c, lock) >= 0;
}

void ghost_got(struct ghost_ctx *c)
{
	int lock = c->want, i = slot_of(c, GHOST_NONE);
	u32 was = __atomic_exchange_n(&owner[lock], name_of(c), __ATOMIC_ACQ_REL);

	if (was)
		fault(&ghost_faults.exclusion, c, lock, "acquired while somebody owns it");
	c->waited[i] = false;
	barrier();
	c->held[i].begin = shim_clock();
	c->held[i].end = ~0ULL;
	smp_store_release(&c->held[i].lock, lock);
	end_want(c);
	WRITE_ONCE(c->touch, GHOST_NONE);
	c->acquired++;
}

void ghost_release(struct ghost_ctx *c, int lock)
{
	u32 was = __atomic_exchange_n(&owner[lock], 0, __ATOMIC_ACQ_REL);

	if (was != name_of(c))
		fault(&ghost_faults.exclusion, c, lock, "somebody else came to own it");
	WRITE_ONCE(c->touch, lock);
}

void ghost_released(struct ghost_ctx *c)
{
	int i = slot_of(c, c->touch);

	if (c->waited[i]) {
		c->held[i].end = shim_clock();
		remember(&c->holds, &c->held[i]);
	}
	free_slot(&c->held[i]);
	WRITE_ONCE(c->touch, GHOST_NONE);
}

/* NESTED: an NMI on top of anything a lower level is about, or the lock that it is about. */
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

/* AA: exact, but for a level below that has not written down yet what it did. */
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
		fault(&ghost_faults.false_verdict, c, lock, "-EDEADLK, and there was no cycle");
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
			fault(&ghost_faults.false_nested, c, lock, "NESTED without a reason");
		return;
	}
	c->deadlocks++;
	if (kind != RES_KIND_AA)
		judge_cycle(c, lock);
	else if (!aa_ok(c, lock))
		fault(&ghost_faults.false_verdict, c, lock, "AA, but not its owner");
}

static void judge_timeout(struct ghost_ctx *c, int lock, bool drained, u64 limit_ns)
{
	u64 now = shim_clock(), age;

	c->timeouts++;
	c->drained += drained;
	if (!drained && now - c->want_begin < limit_ns)
		fault(&ghost_faults.early, c, lock, "-ETIMEDOUT before the time limit");
	age = graph_cycle_age(c, now);
	if (age > MISSED_NS)
		fault(&ghost_faults.missed, c, lock, "-ETIMEDOUT in an old cycle");
}

void ghost_failed(struct ghost_ctx *c, int err, u32 kind, bool drained, u64 limit_ns)
{
	if (kind == RES_KIND_NONE || (err == -ETIMEDOUT) != (kind == RES_KIND_TIMEOUT))
		fault(&ghost_faults.silent, c, c->want, "an error without its event");
	if (err == -EDEADLK)
		judge_deadlock(c, c->want, kind);
	else
		judge_timeout(c, c->want, drained, limit_ns);
	end_want(c);
	WRITE_ONCE(c->touch, GHOST_NONE);
}
