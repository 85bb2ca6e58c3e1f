// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "ghost.h"

#define SHORT_NS 100
#define MAX_SAID 3
#define OFTEN	 10

struct ghost_faults ghost_faults;
struct ghost_ctx ghost_ctx[GHOST_CPUS][GHOST_LEVELS];
static u32 owner[GHOST_LOCKS];
static u64 ran[GHOST_CPUS][GHOST_RAN];

void ghost_fault(u64 *count, const struct ghost_ctx *c, int lock, const char *what)
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

/* Readers check the current spans before the log, so no span is missed in between. */
static void span_remember(struct ghost_log *log, const struct ghost_span *span)
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

/* Marks all slots, in use or not: an interrupt may come while one is half written. */
static void mark_waited(int cpu, int level)
{
	int i;

	for (; level >= 0; level--) {
		for (i = 0; i < GHOST_HELD; i++)
			ghost_ctx[cpu][level].waited[i] = true;
	}
}

/* A wait shorter than the deadlock check itself was in no cycle that a check found. */
static void end_want(struct ghost_ctx *c)
{
	struct ghost_span span = { c->want_begin, shim_clock(), c->want };

	if (span.end - span.begin >= SHORT_NS) {
		mark_waited(c->cpu, c->level);
		span_remember(&c->wants, &span);
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
		ghost_fault(&ghost_faults.exclusion, c, lock, "acquired while somebody owns it");
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
		ghost_fault(&ghost_faults.exclusion, c, lock, "somebody else came to own it");
	WRITE_ONCE(c->touch, lock);
}

void ghost_released(struct ghost_ctx *c)
{
	int i = slot_of(c, c->touch);

	if (c->waited[i]) {
		c->held[i].end = shim_clock();
		span_remember(&c->holds, &c->held[i]);
	}
	free_slot(&c->held[i]);
	WRITE_ONCE(c->touch, GHOST_NONE);
}

void ghost_gave_up(struct ghost_ctx *c)
{
	end_want(c);
	WRITE_ONCE(c->touch, GHOST_NONE);
}

void ghost_ran(u64 ms)
{
	WRITE_ONCE(ran[smp_processor_id()][ms % GHOST_RAN], ms);
}

bool ghost_ran_for(int cpu, u64 since, u64 ns)
{
	u64 ms = since / NSEC_PER_MSEC + 1, now = shim_clock() / NSEC_PER_MSEC, first = 0, last = 0;
	int often = 0;

	for (ms = max(ms, now - GHOST_RAN / 2); ms <= now; ms++) {
		if (READ_ONCE(ran[cpu][ms % GHOST_RAN]) != ms)
			continue;
		first = first ? first : ms;
		last = ms;
		often++;
	}
	return often >= OFTEN && (last - first) * NSEC_PER_MSEC >= ns;
}
