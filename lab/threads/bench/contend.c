// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "../lib/order.h"
#include "../lib/runs.h"
#include "../lib/team.h"
#include "../../locks/locks.h"
#include "contend.h"
#include "figures.h"

#define THREADS	  2
#define SAMPLE_US 2000
#define TARGET	  0.97
/* A second sample for the runs, in one of so many rounds. */
#define RUNS_EVERY 4

struct shape {
	const char *name;
	u32 held, apart; /* pauses */
};

static const struct shape shapes[] = {
	{ "tight", 0, 0 },
	{ "short", 4, 8 },
	{ "long", 40, 80 },
};

struct cell {
	struct lab_samples rate, ratio, share, changes;
	struct lab_runs runs; /* of all rounds */
};

struct contend {
	int rounds;
	struct lab_barrier barrier;
	struct lab_ctx ctx[THREADS];
	struct lab_runs runs[THREADS]; /* of one round */
	struct cell cell[ARRAY_SIZE(shapes)][BENCH_MAX_LOCKS];
	double rate[BENCH_MAX_LOCKS];
};

static union lab_lock lock;
static struct lab_shared shared __attribute__((aligned(LAB_ALIGN)));
static struct lab_load load;

static u64 cycles_of_us(u64 us)
{
	return ((unsigned __int128)(us * NSEC_PER_USEC) << SHIM_CLOCK_SHIFT) / shim_clock_mult;
}

static void contend_prepare(struct contend *c, const struct lab_ops *ops, const struct shape *shape)
{
	int i;

	ops->init(&lock);
	memset(c->runs, 0, sizeof(c->runs));
	for (i = 0; i < THREADS; i++)
		lab_ctx_init(&c->ctx[i]);
	load.held = shape->held;
	load.apart = shape->apart;
	load.shared = &shared;
	shared = (struct lab_shared){ 0 };
	load.end = shim_cycles() + cycles_of_us(SAMPLE_US);
}

static void runs_collect(struct contend *c, struct cell *cell)
{
	struct lab_runs both = c->runs[0];

	lab_runs_merge(&both, &c->runs[1]);
	lab_add(&cell->changes, (double)lab_owner_changes(&both) / (double)both.taken);
	lab_runs_merge(&cell->runs, &both);
}

static void rate_collect(struct contend *c, struct cell *cell, int k)
{
	u64 a = c->ctx[0].ops, b = c->ctx[1].ops;

	c->rate[k] = (double)(a + b) / SAMPLE_US;
	lab_add(&cell->rate, c->rate[k]);
	lab_add(&cell->share, (double)max(a, b) / (a + b));
}

static void counts_check(const struct contend *c, const struct lab_ops *ops)
{
	u64 sum = c->ctx[0].ops + c->ctx[1].ops, failed = c->ctx[0].failed + c->ctx[1].failed;

	if (failed)
		printf("BUG: %s: %llu acquisitions failed\n", ops->name,
		       (unsigned long long)failed);
	if (!(ops->flags & LAB_NO_LOCK) && shared.count != sum)
		printf("BUG: %s: %llu acquisitions, %llu counted under the lock\n", ops->name,
		       (unsigned long long)sum, (unsigned long long)shared.count);
}

static void one_sample(int cpu, struct contend *c, int s, int k, bool runs)
{
	struct cell *cell = &c->cell[s][k];

	if (!cpu)
		contend_prepare(c, lab_locks[k], &shapes[s]);
	lab_meet(&c->barrier);
	if (runs)
		lab_locks[k]->take_turns(&lock, &c->ctx[cpu], &load, &c->runs[cpu]);
	else
		lab_locks[k]->contend(&lock, &c->ctx[cpu], &load);
	lab_meet(&c->barrier);
	if (cpu)
		return;
	counts_check(c, lab_locks[k]);
	if (runs)
		runs_collect(c, cell);
	else
		rate_collect(c, cell, k);
}

static void one_round(int cpu, struct contend *c, int s, int round)
{
	int order[BENCH_MAX_LOCKS], i, n;

	for (n = 0; lab_locks[n]; n++)
		;
	lab_order(order, n, round);
	for (i = 0; i < n; i++) {
		one_sample(cpu, c, s, order[i], false);
		if (round % RUNS_EVERY == 0)
			one_sample(cpu, c, s, order[i], true);
	}
	for (i = 0; !cpu && i < n; i++)
		lab_add(&c->cell[s][i].ratio, c->rate[i] / c->rate[0]);
}

static void contend_rounds(int cpu, void *arg)
{
	struct contend *c = arg;
	size_t s;
	int i;

	for (i = 0; i < c->rounds; i++) {
		for (s = 0; s < ARRAY_SIZE(shapes); s++)
			one_round(cpu, c, s, i);
	}
}

static double runs_of(const struct cell *cell, double part)
{
	return (double)histogram_quantile(&cell->runs.lengths, part);
}

static json_t *contend_report(struct cell *cell, const struct lab_ops *ops,
			      const struct shape *shape)
{
	struct lab_median rate = lab_median(&cell->rate), ratio = lab_median(&cell->ratio),
			  share = lab_median(&cell->share), changes = lab_median(&cell->changes);
	double p50 = runs_of(cell, 0.5), p99 = runs_of(cell, 0.99);
	char what[64];

	printf("%-17s %9.2f %7.2f %8.3f %5.0f %6.0f   %.3f [%.3f, %.3f]\n", ops->name, rate.mid,
	       share.mid, changes.mid, p50, p99, ratio.mid, ratio.lo, ratio.hi);
	if (ops->flags & LAB_OURS) {
		snprintf(what, sizeof(what), "%s, %s", ops->name, shape->name);
		bench_target(what, ratio.mid, true, TARGET);
	}
	return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:f, s:f, s:o}", "lock", ops->name,
			 "shape", shape->name, "held", shape->held, "apart", shape->apart,
			 "ops_per_us", bench_median_json(&rate), "busier_share",
			 bench_median_json(&share), "owner_changes", bench_median_json(&changes),
			 "run_p50", p50, "run_p99", p99, "ratio", bench_median_json(&ratio));
}

json_t *bench_contend(int n)
{
	static struct contend c;
	json_t *out = json_array();
	size_t s;
	int i;

	if (lab_cpus() < THREADS) {
		printf("\nSKIP two threads: one CPU\n");
		return out;
	}
	c.rounds = n;
	c.barrier.n = THREADS;
	lab_team(THREADS, contend_rounds, &c);
	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		printf("\nTwo threads, %s: lock, count, %u pauses, unlock, %u pauses; %d rounds of %d us\n",
		       shapes[s].name, shapes[s].held, shapes[s].apart, n, SAMPLE_US);
		printf("%-17s %9s %7s %8s %5s %6s   ratio to %s, median and 95 %% interval\n",
		       "lock", "ops/us", "busier", "changes", "run", "p99", lab_locks[0]->name);
		for (i = 0; lab_locks[i]; i++)
			json_array_append_new(
				out, contend_report(&c.cell[s][i], lab_locks[i], &shapes[s]));
	}
	return out;
}
