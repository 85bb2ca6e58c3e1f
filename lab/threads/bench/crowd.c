// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "../lib/order.h"
#include "../lib/team.h"
#include "../../locks/locks.h"
#include "crowd.h"
#include "figures.h"

#define MAX_THREADS  16
#define SAMPLE_US    1000000
#define PAUSES_HELD  4
#define PAUSES_APART 8

/* Limits for the queue for virtual machines, relative to test-and-set. */
#define LEAST_RATE   0.8
#define MOST_LONGEST 0.5

static const int sizes[] = { 4, 8, 16 };

struct cell {
	struct lab_samples rate, ratio, longest;
	u64 failed;
};

struct crowd {
	int threads, rounds;
	struct lab_barrier barrier;
	struct lab_ctx ctx[MAX_THREADS];
	struct cell cell[BENCH_MAX_LOCKS];
	double rate[BENCH_MAX_LOCKS];
	u64 longest[MAX_THREADS]; /* cycles */
};

static union lab_lock lock;
static u64 shared __attribute__((aligned(LAB_ALIGN)));
static struct lab_load load;

/* Only locks that a kernel could use: the others never fail, and a minute of each shows nothing. */
static bool takes_part(const struct lab_ops *ops)
{
	return ops == lab_locks[0] || ops->flags & (LAB_OURS | LAB_VCPU | LAB_RIVAL);
}

/*
 * Like the loops that are compiled for each lock, and also measures this thread's longest wait. The
 * indirect calls do not matter where waiters lose their CPU.
 */
static void crowd_contend(const struct lab_ops *ops, struct lab_ctx *c, u64 *longest)
{
	u64 before = shim_cycles(), after;
	u32 i;

	*longest = 0;
	do {
		if (ops->lock(&lock, c)) {
			c->failed++;
			before = shim_cycles();
			continue;
		}
		after = shim_cycles();
		*longest = max(*longest, after - before);
		shared++;
		for (i = 0; i < load.held; i++)
			cpu_relax();
		ops->unlock(&lock, c);
		c->ops++;
		for (i = 0; i < load.apart; i++)
			cpu_relax();
		before = shim_cycles();
	} while (before < load.end);
}

static void crowd_prepare(struct crowd *c, const struct lab_ops *ops)
{
	int i;

	ops->init(&lock);
	for (i = 0; i < c->threads; i++)
		lab_ctx_init(&c->ctx[i]);
	load = (struct lab_load){ .held = PAUSES_HELD, .apart = PAUSES_APART };
	load.end = shim_cycles() +
		   ((unsigned __int128)(SAMPLE_US * NSEC_PER_USEC) << SHIM_CLOCK_SHIFT) /
			   shim_clock_mult;
}

static double to_ms(u64 cycles)
{
	return (double)((unsigned __int128)cycles * shim_clock_mult >> SHIM_CLOCK_SHIFT) /
	       NSEC_PER_MSEC;
}

static void crowd_collect(struct crowd *c, int k)
{
	u64 ops = 0, longest = 0;
	int i;

	for (i = 0; i < c->threads; i++) {
		ops += c->ctx[i].ops;
		c->cell[k].failed += c->ctx[i].failed;
		longest = max(longest, c->longest[i]);
	}
	c->rate[k] = (double)ops / SAMPLE_US;
	lab_add(&c->cell[k].rate, c->rate[k]);
	lab_add(&c->cell[k].longest, to_ms(longest));
}

static void crowd_measure(struct crowd *c, int cpu, int k)
{
	if (!cpu)
		crowd_prepare(c, lab_locks[k]);
	lab_meet(&c->barrier);
	crowd_contend(lab_locks[k], &c->ctx[cpu], &c->longest[cpu]);
	lab_meet(&c->barrier);
	if (!cpu)
		crowd_collect(c, k);
}

static void crowd_rounds(int cpu, void *arg)
{
	int order[BENCH_MAX_LOCKS], round, i, k, n;
	struct crowd *c = arg;

	for (n = 0; lab_locks[n]; n++)
		;
	for (round = 0; round < c->rounds; round++) {
		lab_order(order, n, round);
		for (i = 0; i < n; i++) {
			if (takes_part(lab_locks[order[i]]))
				crowd_measure(c, cpu, order[i]);
		}
		for (k = 0; !cpu && k < n; k++) {
			if (takes_part(lab_locks[k]))
				lab_add(&c->cell[k].ratio, c->rate[k] / c->rate[0]);
		}
	}
}

static void crowd_report(struct crowd *c, json_t *out)
{
	int k;

	printf("\n%d threads on %d CPUs: lock, count, %u pauses, unlock, %u pauses; %d rounds of %d us\n",
	       c->threads, lab_cpus(), PAUSES_HELD, PAUSES_APART, c->rounds, SAMPLE_US);
	printf("%-17s %9s %9s %10s   ratio to %s, median and 95 %% interval\n", "lock", "ops/us",
	       "errors", "longest ms", lab_locks[0]->name);
	for (k = 0; lab_locks[k]; k++) {
		struct lab_median rate = lab_median(&c->cell[k].rate),
				  ratio = lab_median(&c->cell[k].ratio),
				  longest = lab_median(&c->cell[k].longest);

		if (!takes_part(lab_locks[k]))
			continue;
		printf("%-17s %9.4f %9llu %10.2f   %.3f [%.3f, %.3f]\n", lab_locks[k]->name,
		       rate.mid, (unsigned long long)c->cell[k].failed, longest.mid, ratio.mid,
		       ratio.lo, ratio.hi);
		json_array_append_new(out, json_pack("{s:s, s:i, s:o, s:I, s:o, s:o}", "lock",
						     lab_locks[k]->name, "threads", c->threads,
						     "ops_per_us", bench_median_json(&rate),
						     "errors", (json_int_t)c->cell[k].failed,
						     "longest_ms", bench_median_json(&longest),
						     "ratio", bench_median_json(&ratio)));
	}
}

/* Ratios of medians: rounds are far apart here, and their order decides little. */
static void crowd_judge(struct crowd *c)
{
	struct cell *hybrid = &c->cell[lab_index_of(LAB_HYBRID)],
		    *tas = &c->cell[lab_index_of(LAB_TAS)];
	char what[96];

	snprintf(what, sizeof(what), "%d threads: throughput, hybrid to test-and-set", c->threads);
	bench_target(what, lab_median(&hybrid->rate).mid / lab_median(&tas->rate).mid, true,
		     LEAST_RATE);
	snprintf(what, sizeof(what), "%d threads: longest wait, hybrid to test-and-set",
		 c->threads);
	bench_target(what, lab_median(&hybrid->longest).mid / lab_median(&tas->longest).mid, false,
		     MOST_LONGEST);
	snprintf(what, sizeof(what), "%d threads: errors of hybrid", c->threads);
	bench_target(what, hybrid->failed, false, 0);
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
		lab_team(c.threads, crowd_rounds, &c);
		crowd_report(&c, out);
		crowd_judge(&c);
	}
	return out;
}
