// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "../lib/team.h"
#include "../locks/locks.h"
#include "figures.h"
#include "pairs.h"

#define PAIRS  20000 /* half a millisecond: rarely interrupted */
#define TARGET 1.02
/*
 * The look at the tag before the release is hidden behind the locked instruction on some CPUs.
 * Where it is not (AMD's Zen 5: 0.7 cycles), it may cost a cycle.
 */
#define TARGET_CYCLES 1

struct pairs {
	int rounds;
	struct lab_samples ns[BENCH_MAX_LOCKS], cycles[BENCH_MAX_LOCKS], ratio[BENCH_MAX_LOCKS];
};

static union lab_lock lock;

static double measure(const struct lab_ops *ops, struct lab_ctx *ctx)
{
	u64 start;

	ops->init(&lock);
	ops->pairs(&lock, ctx, PAIRS / 20);
	start = shim_cycles();
	ops->pairs(&lock, ctx, PAIRS);
	return (double)(shim_cycles() - start) / PAIRS;
}

static int nr_locks(void)
{
	int n = 0;

	while (lab_locks[n])
		n++;
	return n;
}

/* Every lock once, forwards and backwards in turn, so that a drift favours none. */
static void one_round(struct pairs *p, int round)
{
	double cycles[BENCH_MAX_LOCKS];
	int i, n = nr_locks();
	struct lab_ctx ctx;

	lab_ctx_init(&ctx);
	for (i = 0; i < n; i++) {
		int k = round % 2 ? n - 1 - i : i;

		cycles[k] = measure(lab_locks[k], &ctx);
	}
	for (i = 0; i < n; i++) {
		lab_add(&p->cycles[i], cycles[i]);
		lab_add(&p->ns[i],
			cycles[i] * shim_clock_mult / (double)(1ULL << SHIM_CLOCK_SHIFT));
		lab_add(&p->ratio[i], cycles[i] / cycles[0]);
	}
}

static void rounds(int cpu, void *arg)
{
	struct pairs *p = arg;
	int i;

	(void)cpu;
	for (i = 0; i < p->rounds; i++)
		one_round(p, i);
}

static double target(struct pairs *p)
{
	double cycle = 1 + TARGET_CYCLES / lab_median(&p->cycles[0]).mid;

	return cycle > TARGET ? cycle : TARGET;
}

json_t *bench_pairs(int n)
{
	static struct pairs p;
	json_t *out = json_array();
	int i;

	p.rounds = n;
	lab_team(1, rounds, &p);
	printf("\nOne thread, lock and unlock; %d interleaved rounds of %d pairs\n", n, PAIRS);
	printf("%-16s %9s %9s   %s / %s, median and 95 %% interval\n", "lock", "ns", "cycles",
	       "lock", lab_locks[0]->name);
	for (i = 0; lab_locks[i]; i++) {
		struct lab_median ns = lab_median(&p.ns[i]), cy = lab_median(&p.cycles[i]),
				  ratio = lab_median(&p.ratio[i]);

		printf("%-16s %9.2f %9.1f   %.3f [%.3f, %.3f]\n", lab_locks[i]->name, ns.mid,
		       cy.mid, ratio.mid, ratio.lo, ratio.hi);
		json_array_append_new(
			out, json_pack("{s:s, s:o, s:o, s:o}", "lock", lab_locks[i]->name, "ns",
				       bench_median_json(&ns), "cycles", bench_median_json(&cy),
				       "ratio", bench_median_json(&ratio)));
		if (lab_locks[i]->flags & LAB_OURS)
			bench_target(lab_locks[i]->name, ratio.mid, false, target(&p));
	}
	return out;
}
