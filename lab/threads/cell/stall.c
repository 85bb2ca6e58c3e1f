// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An owner that stands still, as in an SMI: it sleeps with the lock held, and the waiters have its
 * CPU. A waiter that fails then was wrong, for nobody is stuck.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "../lib/team.h"
#include "tally.h"

struct stall {
	const struct cell *cell;
	struct lab_barrier barrier;
	u64 rounds, held; /* the longest, cycles */
	struct tally tally[CELL_THREADS];
};

static union lab_lock lock;

static void owner_play(struct stall *s, struct lab_ctx *ctx)
{
	u32 ms = s->cell->stall_ms;
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NSEC_PER_MSEC };
	u64 since;

	if (s->cell->lock->lock(&lock, ctx))
		abort();
	lab_meet(&s->barrier);
	since = shim_cycles();
	while (nanosleep(&t, &t) && errno == EINTR)
		;
	s->held = max(s->held, shim_cycles() - since);
	s->cell->lock->unlock(&lock, ctx);
	lab_meet(&s->barrier);
}

static void waiter_play(struct stall *s, struct tally *t, struct lab_ctx *ctx)
{
	u64 before, waited;
	int err;

	lab_meet(&s->barrier);
	before = shim_cycles();
	err = s->cell->lock->lock(&lock, ctx);
	waited = shim_cycles() - before;
	if (!err)
		s->cell->lock->unlock(&lock, ctx);
	t->ops++;
	t->timeouts += err == -ETIMEDOUT;
	t->deadlocks += err == -EDEADLK;
	t->longest = max(t->longest, waited);
	if (!err)
		histogram_add(&t->waits, waited);
	lab_meet(&s->barrier);
}

static void stall_play(int cpu, void *arg)
{
	struct stall *s = arg;
	struct lab_ctx ctx;
	u64 i;

	lab_ctx_init(&ctx);
	for (i = 0; i < s->rounds; i++) {
		if (cpu)
			waiter_play(s, &s->tally[cpu], &ctx);
		else
			owner_play(s, &ctx);
	}
}

static json_t *stall_result(const struct stall *s)
{
	struct tally sum = { 0 };
	int i;

	for (i = 1; i < s->cell->threads; i++)
		tally_add(&sum, &s->tally[i]);
	return json_pack(
		"{s:I, s:f, s:I, s:I, s:I, s:f, s:o}", "holds", (json_int_t)s->rounds, "held_ms",
		(double)cycles_to_ns(s->held) / 1e6, "tries", (json_int_t)sum.ops, "timeouts",
		(json_int_t)sum.timeouts, "deadlocks", (json_int_t)sum.deadlocks, "longest_ms",
		(double)cycles_to_ns(sum.longest) / 1e6, "wait_ns", waits_json(&sum.waits, 1));
}

json_t *stall_run(const struct cell *cell)
{
	static struct stall s;

	if (cell->threads > CELL_THREADS)
		return NULL;
	s.cell = cell;
	s.rounds = max(cell->ops, 1ULL);
	s.barrier.n = cell->threads;
	cell->lock->init(&lock);
	lab_team(cell->threads, stall_play, &s);
	return stall_result(&s);
}
