// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "../lib/order.h"
#include "../lib/team.h"
#include "../../locks/locks.h"
#include "figures.h"
#include "pairs.h"

#define PAIRS 20000 /* half a millisecond: rarely interrupted */
/* On no CPU may the lock cost more than a table, CPUs from 254 on included (lab-bench-high). */
#define TARGET_HELD 1.05

struct pairs {
	const char *name;
	double target;
	void (*loop)(const struct lab_ops *ops, struct lab_ctx *ctx, u64 n);
	int rounds;
	struct lab_samples ns[BENCH_MAX_LOCKS], cycles[BENCH_MAX_LOCKS], ratio[BENCH_MAX_LOCKS];
	struct lab_samples to_held[BENCH_MAX_LOCKS];
};

static union lab_lock locks[LAB_TURN];

static void pairs_of_one(const struct lab_ops *ops, struct lab_ctx *ctx, u64 n)
{
	ops->pairs(locks, ctx, n);
}

static void in_turn(const struct lab_ops *ops, struct lab_ctx *ctx, u64 n)
{
	ops->turns(locks, ctx, n);
}

static void pairs_nested(const struct lab_ops *ops, struct lab_ctx *ctx, u64 n)
{
	ops->nested(locks, ctx, n);
}

/*
 * In the first loop, the byte of one lock is released and its word is compared right after that,
 * which costs each of these locks more than anything else. The other loops avoid that. Some CPUs
 * are known to miss a target (lab/threads/lib/known.c).
 */
static struct pairs tables[] = {
	{ .name = "one lock", .target = 1.02, .loop = pairs_of_one },
	{ .name = "16 in turn", .target = 1.06, .loop = in_turn },
	{ .name = "nested pairs", .target = 1.02, .loop = pairs_nested },
};

static double pairs_measure(struct pairs *p, const struct lab_ops *ops)
{
	struct lab_ctx ctx[2];
	u64 start;
	int i;

	for (i = 0; i < LAB_TURN; i++)
		ops->init(&locks[i]);
	lab_ctx_init(&ctx[0]);
	lab_ctx_init(&ctx[1]);
	p->loop(ops, ctx, PAIRS / 20);
	start = shim_cycles();
	p->loop(ops, ctx, PAIRS);
	return (double)(shim_cycles() - start) / PAIRS;
}

static int nr_locks(void)
{
	int n = 0;

	while (lab_locks[n])
		n++;
	return n;
}

/* Measures every lock once. */
static void one_round(struct pairs *p, int round)
{
	double cycles[BENCH_MAX_LOCKS];
	int order[BENCH_MAX_LOCKS], i, n = nr_locks(), held = lab_index_of(LAB_HELD);

	lab_order(order, n, round);
	for (i = 0; i < n; i++)
		cycles[order[i]] = pairs_measure(p, lab_locks[order[i]]);
	for (i = 0; i < n; i++) {
		lab_add(&p->cycles[i], cycles[i]);
		lab_add(&p->ns[i],
			cycles[i] * shim_clock_mult / (double)(1ULL << SHIM_CLOCK_SHIFT));
		lab_add(&p->ratio[i], cycles[i] / cycles[0]);
		lab_add(&p->to_held[i], cycles[i] / cycles[held]);
	}
}

static void pairs_rounds(int cpu, void *arg)
{
	struct pairs *p = arg;
	int i;

	(void)cpu;
	/* Any CPU but the first, which has its own tag in every build. */
	shim_set_cpu(1);
	for (i = 0; i < p->rounds; i++)
		one_round(p, i);
}

/* What the owner's tag in the word saves against a table that is always written. */
static void report_to_held(struct pairs *p)
{
	const char *held = lab_locks[lab_index_of(LAB_HELD)]->name;
	char what[96];
	int i;

	for (i = 0; lab_locks[i]; i++) {
		struct lab_median m = lab_median(&p->to_held[i]);

		if (!(lab_locks[i]->flags & LAB_OURS))
			continue;
		snprintf(what, sizeof(what), "%s / %s, %s", lab_locks[i]->name, held, p->name);
		printf("  %s: %.3f [%.3f, %.3f]\n", what, m.mid, m.lo, m.hi);
		bench_target(what, m.mid, false, TARGET_HELD);
	}
}

static void pair_judge(struct pairs *p, const char *lock, double ratio)
{
	char what[96];

	snprintf(what, sizeof(what), "%s, %s", lock, p->name);
	bench_target(what, ratio, false, p->target);
}

static void pairs_report(struct pairs *p, json_t *out)
{
	int i;

	printf("\nOne thread, lock and unlock, %s; %d interleaved rounds of %d pairs\n", p->name,
	       p->rounds, PAIRS);
	printf("%-16s %9s %9s   %s / %s, median and 95 %% interval\n", "lock", "ns", "cycles",
	       "lock", lab_locks[0]->name);
	for (i = 0; lab_locks[i]; i++) {
		struct lab_median ns = lab_median(&p->ns[i]), cy = lab_median(&p->cycles[i]),
				  ratio = lab_median(&p->ratio[i]),
				  to_held = lab_median(&p->to_held[i]);

		printf("%-16s %9.2f %9.1f   %.3f [%.3f, %.3f]\n", lab_locks[i]->name, ns.mid,
		       cy.mid, ratio.mid, ratio.lo, ratio.hi);
		json_array_append_new(
			out, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "lock", lab_locks[i]->name,
				       "loop", p->name, "ns", bench_median_json(&ns), "cycles",
				       bench_median_json(&cy), "ratio", bench_median_json(&ratio),
				       "to_held_table", bench_median_json(&to_held)));
		if (lab_locks[i]->flags & LAB_OURS)
			pair_judge(p, lab_locks[i]->name, ratio.mid);
	}
	report_to_held(p);
}

json_t *bench_pairs(int n)
{
	json_t *out = json_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		tables[i].rounds = n;
		lab_team(1, pairs_rounds, &tables[i]);
		pairs_report(&tables[i], out);
	}
	return out;
}
