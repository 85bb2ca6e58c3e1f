// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "../lib/team.h"
#include "cell.h"

#define MAX_THREADS 64
#define WARM_UP	    10 /* one part in so many of the time or the operations */
#define LOOK_EVERY  4  /* operations between two looks at the clock */

struct worker {
	struct lab_ctx ctx;
	u64 ops, timeouts, deadlocks;
	u64 longest; /* cycles */
	u64 took;    /* cycles */
} __attribute__((aligned(LAB_ALIGN)));

struct run {
	const struct cell *cell;
	struct lab_barrier barrier;
	struct worker worker[MAX_THREADS];
	u64 before[CELL_COUNTS], after[CELL_COUNTS];
	u64 limit; /* operations of a thread */
	u64 end;
	u64 held, apart; /* loops of work */
	bool timed;	 /* time each acquisition: not with work in ns, which that would distort */
};

struct line {
	u64 word;
} __attribute__((aligned(LAB_ALIGN)));

static union lab_lock lock;
static struct line apart_from_it, counter, data[CELL_LINES];

static u64 *shared_word(const struct cell *c)
{
	return c->embedded ? (u64 *)&lock.pad[sizeof(u64)] : &apart_from_it.word;
}

static void wait_pauses(u32 n)
{
	while (n--)
		cpu_relax();
}

static double to_ns(u64 cycles)
{
	return (double)((unsigned __int128)cycles * shim_clock_mult >> SHIM_CLOCK_SHIFT);
}

static void loops_spend(u64 loops)
{
	while (loops--)
		barrier();
}

/* Converts @ns to rounds of loops_spend(). Reading a clock would take as long as the work. */
static u64 to_loops(u32 ns)
{
	static const u64 probe = 1 << 20;
	u64 best = ~0ULL;
	int i;

	for (i = 0; ns && i < 10; i++) {
		u64 before = shim_cycles();

		loops_spend(probe);
		best = min(best, shim_cycles() - before);
	}
	return ns ? (u64)(ns * (double)probe / to_ns(best)) : 0;
}

/* Returns false if the acquisition failed. */
static __always_inline bool lock_acquire(const struct lab_ops *ops, struct worker *w, bool timed)
{
	u64 before = timed ? shim_cycles() : 0, waited;
	int err = ops->lock(&lock, &w->ctx);

	if (unlikely(err)) {
		w->timeouts += err == -ETIMEDOUT;
		w->deadlocks += err == -EDEADLK;
		return false;
	}
	waited = timed ? shim_cycles() - before : 0;
	w->longest = max(w->longest, waited);
	return true;
}

static __always_inline void section_run(const struct run *r, struct worker *w, u64 *word, u64 add)
{
	const struct cell *c = r->cell;
	u32 i;

	for (i = 0; i < c->refs; i++)
		__atomic_add_fetch(&counter.word, add, __ATOMIC_RELAXED);
	if (!lock_acquire(c->lock, w, r->timed))
		return;
	WRITE_ONCE(*word, *word + add);
	for (i = 0; i < c->lines; i++)
		WRITE_ONCE(data[i].word, data[i].word + add);
	wait_pauses(c->held);
	loops_spend(r->held);
	c->lock->unlock(&lock, &w->ctx);
}

/* A semaphore with room for all: down() and up() take its lock, nobody sleeps. */
static void cell_operate(const struct run *r, struct worker *w, u64 *word)
{
	section_run(r, w, word, 1);
	if (r->cell->semaphore)
		section_run(r, w, word, -1ULL);
	w->ops++;
	wait_pauses(r->cell->apart);
	loops_spend(r->apart);
}

/* Runs until the time is over, or for the number of operations if there is one. */
static void worker_run(struct run *r, struct worker *w)
{
	u64 *word = shared_word(r->cell), before = shim_cycles();

	while (r->limit ? w->ops < r->limit : w->ops % LOOK_EVERY || shim_cycles() < r->end)
		cell_operate(r, w, word);
	w->took = shim_cycles() - before;
}

/* Call it after shim_init(), which calibrates the clock. */
static u64 to_cycles(double seconds)
{
	return ((unsigned __int128)(seconds * 1e9) << SHIM_CLOCK_SHIFT) / shim_clock_mult;
}

/* Thread 0 sets the end and the load, between two barriers. */
static void phase_run(struct run *r, int cpu, u64 part)
{
	struct worker *w = &r->worker[cpu];

	lab_meet(&r->barrier);
	if (!cpu) {
		/* No thread uses the lock now: the warm-up is not counted. */
		cell_count(r->cell->lock, r->before);
		r->end = shim_cycles() + to_cycles(r->cell->seconds / (double)part);
		r->held = to_loops(r->cell->held_ns);
		r->apart = to_loops(r->cell->apart_ns);
		r->timed = !r->held && !r->apart;
		r->limit = r->cell->seconds > 0 ? 0 : max(r->cell->ops / part, 1ULL);
	}
	w->ops = w->timeouts = w->deadlocks = w->longest = 0;
	lab_meet(&r->barrier);
	worker_run(r, w);
}

static void member_run(int cpu, void *arg)
{
	struct run *r = arg;

	lab_ctx_init(&r->worker[cpu].ctx);
	phase_run(r, cpu, WARM_UP);
	phase_run(r, cpu, 1);
}

static json_t *cell_result(const struct run *r)
{
	u64 ops = 0, timeouts = 0, deadlocks = 0, longest = 0, took = 0;
	json_t *each = json_array();
	int i;

	for (i = 0; i < r->cell->threads; i++) {
		const struct worker *w = &r->worker[i];

		ops += w->ops;
		timeouts += w->timeouts;
		deadlocks += w->deadlocks;
		longest = max(longest, w->longest);
		took = max(took, w->took);
		json_array_append_new(each, json_integer((json_int_t)w->ops));
	}
	return json_pack("{s:I, s:f, s:f, s:I, s:I, s:o, s:o, s:o}", "ops", (json_int_t)ops,
			 "seconds", to_ns(took) / 1e9, "per_second",
			 (double)ops / (to_ns(took) / 1e9), "timeouts", (json_int_t)timeouts,
			 "deadlocks", (json_int_t)deadlocks, "longest_ms",
			 r->timed ? json_real(to_ns(longest) / 1e6) : json_null(), "each", each,
			 "events", cell_counts(r->cell->lock, r->before, r->after, ops));
}

json_t *cell_run(const struct cell *cell)
{
	static struct run r;

	if (cell->threads > MAX_THREADS)
		return NULL;
	r.cell = cell;
	r.barrier.n = cell->threads;
	cell->lock->init(&lock);
	lab_team(cell->threads, member_run, &r);
	cell_count(cell->lock, r.after);
	return cell_result(&r);
}
