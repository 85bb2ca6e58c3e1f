// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "../lib/team.h"
#include "cell.h"
#include "counters.h"
#include "tally.h"

#define WARM_UP	   10 /* one part in so many of the time or the operations */
#define LOOK_EVERY 4  /* operations between two looks at the clock */
/*
 * One operation of so many is in the percentiles: a histogram costs 3 ns. Where work is given in ns
 * no other is timed, since the clock would be most of it. Powers of two.
 */
#define SAMPLE_EVERY	  16
#define SAMPLE_WORK_EVERY 64

struct worker {
	struct lab_ctx ctx;
	struct tally tally;
	struct counters counters;
} __attribute__((aligned(LAB_ALIGN)));

struct run {
	const struct cell *cell;
	struct lab_shared *shared;
	struct lab_barrier barrier;
	struct worker worker[CELL_THREADS];
	u64 before[CELL_COUNTS], after[CELL_COUNTS];
	u64 limit; /* operations of a thread */
	u64 end;
	u64 held, apart; /* loops of work */
	bool timed;	 /* time each acquisition */
	u32 each;	 /* every so manyth operation is a sample */
};

struct line {
	u64 word;
} __attribute__((aligned(LAB_ALIGN)));

static union lab_lock lock;
static union {
	struct lab_shared shared;
	char pad[LAB_ALIGN];
} apart_from_it __attribute__((aligned(LAB_ALIGN)));
static struct line counter, data[CELL_LINES];

static struct lab_shared *shared_of(const struct cell *c)
{
	return c->embedded ? (struct lab_shared *)&lock.pad[sizeof(u64)] : &apart_from_it.shared;
}

static void wait_pauses(u32 n)
{
	while (n--)
		cpu_relax();
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
	return ns ? (u64)(ns * (double)probe / (double)cycles_to_ns(best)) : 0;
}

/* Returns the cycles that it took (0 if not @timed), or ~0 if it failed. */
static __always_inline u64 lock_acquire(const struct lab_ops *ops, struct worker *w, bool timed)
{
	u64 before = timed ? shim_cycles() : 0;
	int err = ops->lock(&lock, &w->ctx);

	if (unlikely(err)) {
		w->tally.timeouts += err == -ETIMEDOUT;
		w->tally.deadlocks += err == -EDEADLK;
		return ~0ULL;
	}
	return timed ? shim_cycles() - before : 0;
}

/* Returns whether this thread also had the lock before. */
static __always_inline bool section_run(const struct run *r, struct worker *w, u64 add)
{
	struct lab_shared *shared = r->shared;
	bool again = shared->owner == w;
	u32 i;

	WRITE_ONCE(shared->owner, w);
	WRITE_ONCE(shared->count, shared->count + add);
	for (i = 0; i < r->cell->lines; i++)
		WRITE_ONCE(data[i].word, data[i].word + add);
	wait_pauses(r->cell->held);
	loops_spend(r->held);
	return again;
}

/* What takes time and can wait is done when the lock is free again. */
static __always_inline void acquisition_run(const struct run *r, struct worker *w, u64 add)
{
	const struct cell *c = r->cell;
	bool sample = !(w->tally.ops & (r->each - 1)), again;
	u64 waited;
	u32 i;

	for (i = 0; i < c->refs; i++)
		__atomic_add_fetch(&counter.word, add, __ATOMIC_RELAXED);
	waited = lock_acquire(c->lock, w, r->timed || sample);
	if (waited == ~0ULL)
		return;
	again = section_run(r, w, add);
	c->lock->unlock(&lock, &w->ctx);
	lab_run_note(&w->tally.runs, again);
	w->tally.longest = max(w->tally.longest, waited);
	if (sample)
		histogram_add(&w->tally.waits, waited);
}

/* A semaphore with room for all: down() and up() take its lock, nobody sleeps. */
static void cell_operate(const struct run *r, struct worker *w)
{
	acquisition_run(r, w, 1);
	if (r->cell->semaphore)
		acquisition_run(r, w, -1ULL);
	w->tally.ops++;
	wait_pauses(r->cell->apart);
	loops_spend(r->apart);
}

/* Runs until the time is over, or for the number of operations if there is one. */
static void worker_run(struct run *r, struct worker *w)
{
	u64 before = shim_cycles();

	while (r->limit ? w->tally.ops < r->limit :
			  w->tally.ops % LOOK_EVERY || shim_cycles() < r->end)
		cell_operate(r, w);
	w->tally.took = shim_cycles() - before;
	lab_run_end(&w->tally.runs);
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
		r->each = r->timed ? SAMPLE_EVERY : SAMPLE_WORK_EVERY;
		r->limit = r->cell->seconds > 0 ? 0 : max(r->cell->ops / part, 1ULL);
	}
	w->tally = (struct tally){ 0 };
	counters_open(&w->counters);
	lab_meet(&r->barrier);
	counters_start(&w->counters);
	worker_run(r, w);
	counters_stop(&w->counters);
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
	struct counters counters = { 0 };
	struct tally sum = { 0 };
	json_t *each = json_array();
	double seconds;
	int i;

	for (i = 0; i < r->cell->threads; i++) {
		tally_add(&sum, &r->worker[i].tally);
		counters_add(&counters, &r->worker[i].counters);
		json_array_append_new(each, json_integer((json_int_t)r->worker[i].tally.ops));
	}
	seconds = (double)cycles_to_ns(sum.took) / 1e9;
	return json_pack("{s:I, s:f, s:f, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "ops",
			 (json_int_t)sum.ops, "seconds", seconds, "per_second",
			 (double)sum.ops / seconds, "timeouts", (json_int_t)sum.timeouts,
			 "deadlocks", (json_int_t)sum.deadlocks, "longest_ms",
			 r->timed ? json_real((double)cycles_to_ns(sum.longest) / 1e6) :
				    json_null(),
			 "wait_ns", waits_json(&sum.waits, r->each), "owner", runs_json(&sum.runs),
			 "counters", counters_json(&counters), "each", each, "events",
			 cell_counts(r->cell->lock, r->before, r->after, sum.ops));
}

json_t *cell_run(const struct cell *cell)
{
	static struct run r;

	if (cell->threads > CELL_THREADS)
		return NULL;
	r.cell = cell;
	r.shared = shared_of(cell);
	r.barrier.n = cell->threads;
	cell->lock->init(&lock);
	lab_team(cell->threads, member_run, &r);
	cell_count(cell->lock, r.after);
	return cell_result(&r);
}
