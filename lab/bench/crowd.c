// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "../lib/team.h"
#include "../locks/locks.h"
#include "crowd.h"
#include "figures.h"

#define MAX_THREADS  16
#define SAMPLE_US    100000
#define PAUSES_HELD  4
#define PAUSES_APART 8

static const int sizes[] = { 4, 8, 16 };

struct cell {
	struct lab_samples rate, ratio;
	u64 failed;
};

struct crowd {
	int threads, rounds;
	struct lab_barrier barrier;
	struct lab_ctx ctx[MAX_THREADS];
	struct cell cell[BENCH_MAX_LOCKS];
	double rate[BENCH_MAX_LOCKS];
};

static union lab_lock lock;
static u64 shared __attribute__((aligned(LAB_ALIGN)));
static struct lab_load load;

/* What a kernel has: the others do not fail, and a minute of theirs shows nothing. */
static bool takes_part(const struct lab_ops *ops)
{
	return ops == lab_locks[0] || ops->flags & LAB_OURS;
}

static void prepare(struct crowd *c, const struct lab_ops *ops)
{
	int i;

	ops->init(&lock);
	for (i = 0; i < c->threads; i++)
		lab_ctx_init(&c->ctx[i]);
	load = (struct lab_load){ .held = PAUSES_HELD, .apart = PAUSES_APART, .shared = &shared };
	load.end = shim_cycles() +
		   ((unsigned __int128)(SAMPLE_US * NSEC_PER_USEC) << SHIM_CLOCK_SHIFT) /
			   shim_clock_mult;
}

static void collect(struct crowd *c, int k)
{
	u64 ops = 0;
	int i;

	for (i = 0; i < c->threads; i++) {
		ops += c->ctx[i].ops;
		c->cell[k].failed += c->ctx[i].failed;
	}
	c->rate[k] = (double)ops / SAMPLE_US;
	lab_add(&c->cell[k].rate, c->rate[k]);
	lab_add(&c->cell[k].ratio, c->rate[k] / c->rate[0]);
}

static void rounds(int cpu, void *arg)
{
	struct crowd *c = arg;
	int round, k;

	for (round = 0; round < c->rounds; round++) {
		for (k = 0; lab_locks[k]; k++) {
			if (!takes_part(lab_locks[k]))
				continue;
			if (!cpu)
				prepare(c, lab_locks[k]);
			lab_meet(&c->barrier);
			lab_locks[k]->contend(&lock, &c->ctx[cpu], &load);
			lab_meet(&c->barrier);
			if (!cpu)
				collect(c, k);
		}
	}
}

static void report(struct crowd *c, json_t *out)
{
	int k;

	printf("\n%d threads on %d CPUs: lock, count, %u pauses, unlock, %u pauses; %d rounds of %d us\n",
	       c->threads, lab_cpus(), PAUSES_HELD, PAUSES_APART, c->rounds, SAMPLE_US);
	printf("%-16s %9s %9s   ratio to %s, median and 95 %% interval\n", "lock", "ops/us",
	       "errors", lab_locks[0]->name);
	for (k = 0; lab_locks[k]; k++) {
		struct lab_median rate = lab_median(&c->cell[k].rate),
				  ratio = lab_median(&c->cell[k].ratio);

		if (!takes_part(lab_locks[k]))
			continue;
		printf("%-16s %9.4f %9llu   %.3f [%.3f, %.3f]\n", lab_locks[k]->name, rate.mid,
		       (unsigned long long)c->cell[k].failed, ratio.mid, ratio.lo, ratio.hi);
		json_array_append_new(out, json_pack("{s:s, s:i, s:o, s:I, s:o}", "lock",
						     lab_locks[k]->name, "threads", c->threads,
						     "ops_per_us", bench_median_json(&rate),
						     "errors", (json_int_t)c->cell[k].failed,
						     "ratio", bench_median_json(&ratio)));
	}
}

json_t *bench_crowd(int n)
{
	static struct crowd c;
	json_t *out = json_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(&c, 0, sizeof(c));
		c.threads = sizes[i];
		c.rounds = n;
		c.barrier.n = c.threads;
		lab_team(c.threads, rounds, &c);
		report(&c, out);
	}
	return out;
}
