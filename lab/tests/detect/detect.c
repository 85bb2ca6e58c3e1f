// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How soon deadlocks are detected, the number of victims, and the cost for bystanders. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../threads/lib/team.h"
#include "detect.h"

#define MAX_CPUS 64

struct options {
	const char *json;
	const char *only;
	int rounds;
	bool bounds, rivals;
};

static int passed, failed;
static bool wrong;
static json_t *report;

/* Is the current lock one of ours? Results of other locks are shown, but not judged. */
static bool judged;

/* A condition on the scenario whose row is printed next. */
static void row_check(bool ok, const char *what)
{
	if (!judged)
		return;
	if (!ok)
		printf("# must be: %s\n", what);
	wrong |= !ok;
}

static void row_print(const char *lock, const char *scenario, struct outcome *o)
{
	double p50 = lab_quantile(&o->latency, 0.5), p99 = lab_quantile(&o->latency, 0.99);

	printf("%-6s %-15s %-22s %7llu %8.3f %9.3f %10.1f %7.3f %6llu %6llu\n",
	       !judged ? "-" : (wrong ? "not ok" : "ok"), lock, scenario,
	       (unsigned long long)o->rounds, p50 / 1e3, p99 / 1e3,
	       lab_quantile(&o->latency, 1) / 1e3, 100.0 * o->single / o->rounds,
	       (unsigned long long)o->timeouts, (unsigned long long)o->bystander_errors);
	fflush(stdout);
	passed += judged && !wrong;
	failed += judged && wrong;
	wrong = false;
	json_array_append_new(report, outcome_json(lock, scenario, o));
}

static void outcome_forget(struct outcome *o)
{
	lab_free(&o->latency);
	lab_free(&o->bystander_wait);
	lab_free(&o->anybody);
	lab_free(&o->again);
	*o = (struct outcome){ 0 };
}

static bool takes_part(const struct lab_ops *ops, const struct options *opt)
{
	return ops->flags & LAB_OURS || (opt->rivals && ops->flags & LAB_RIVAL);
}

/* A rival may resolve each cycle by its time limit only: run fewer rounds. */
static int rounds_of(const struct lab_ops *ops, int rounds)
{
	return ops->flags & LAB_RIVAL ? rounds / 100 + 3 : rounds;
}

static void detect_aa(int cpu, void *arg)
{
	const struct options *opt = arg;
	struct outcome o = { 0 };
	int i;

	(void)cpu;
	for (i = 0; lab_locks[i]; i++) {
		const char *name = lab_locks[i]->name;

		if (!takes_part(lab_locks[i], opt))
			continue;
		judged = lab_locks[i]->flags & LAB_OURS;
		run_aa(lab_locks[i], opt->rounds, &o);
		row_check(o.victims == o.rounds && !o.wrong_kind, "always -EDEADLK, AA");
		if (opt->bounds)
			row_check(lab_quantile(&o.latency, 0.5) < 200, "p50 < 0.2 us");
		row_print(name, "AA", &o);
		outcome_forget(&o);
	}
}

static void check_ring(struct outcome *o)
{
	row_check(!o->timeouts, "no time limit");
	row_check(o->victims >= o->rounds && !o->wrong_kind, "each diagnosed with its kind");
	row_check(o->single >= 0.99 * o->rounds, "one victim in 99 % of the cycles");
	row_check(!o->bystander_errors, "bystanders never fail");
	row_check(!o->stuck, "who failed gets the lock the next time");
	row_check(o->disturbed <= 1 + o->rounds / 10, "a machine that lets threads run");
}

/* A few bad rounds in a hundred do not prove a rate above 1 %: then run ten times as many more. */
static void run_and_check(const struct lab_ops *ops, const struct ring *ring, int rounds,
			  struct outcome *o)
{
	run_ring(ops, ring, rounds, o);
	if (judged && o->single < 0.99 * o->rounds && o->single >= 0.95 * o->rounds - 1 &&
	    !o->timeouts)
		run_ring(ops, ring, 10 * rounds, o);
	check_ring(o);
}

static void detect_rings(const struct lab_ops *ops, const struct options *opt)
{
	struct outcome o = { 0 };
	struct ring ring = { 2, 0, ALONE };
	char scenario[40];

	run_and_check(ops, &ring, rounds_of(ops, opt->rounds), &o);
	if (opt->bounds) {
		row_check(lab_quantile(&o.latency, 0.5) < 1000, "p50 < 1 us");
		row_check(lab_quantile(&o.latency, 0.99) < 10000, "p99 < 10 us");
	}
	row_print(ops->name, "ABBA", &o);
	outcome_forget(&o);
	for (ring.members = 3; ring.members <= 8; ring.members++) {
		snprintf(scenario, sizeof(scenario), "cycle of %d", ring.members);
		run_and_check(ops, &ring, rounds_of(ops, opt->rounds / 20 + 1), &o);
		row_print(ops->name, scenario, &o);
		outcome_forget(&o);
	}
}

static void detect_crowds(const struct lab_ops *ops, const struct options *opt)
{
	struct outcome o = { 0 };
	struct ring ring;
	char scenario[40];

	for (ring.members = 2; ring.members <= 3; ring.members++) {
		for (ring.bystanders = 1; ring.bystanders <= 2; ring.bystanders++) {
			for (ring.order = AFTER; ring.order <= BEFORE; ring.order++) {
				if (ring.order == BEFORE && ops->flags & LAB_UNORDERED)
					continue; /* no queue to stand in */
				snprintf(scenario, sizeof(scenario), "%d + %d*%d %s", ring.members,
					 ring.members, ring.bystanders,
					 ring.order == AFTER ? "behind" : "in front");
				run_and_check(ops, &ring, rounds_of(ops, opt->rounds / 100 + 1),
					      &o);
				row_print(ops->name, scenario, &o);
				outcome_forget(&o);
			}
		}
	}
}

static void detect_stalls(const struct lab_ops *ops)
{
	struct outcome o = { 0 };
	char scenario[40];
	int n;

	for (n = 1; n <= 4; n++) {
		snprintf(scenario, sizeof(scenario), "stalled owner, %d wait", n);
		run_stall(ops, n, &o);
		row_check(o.timeouts == (u64)n && o.single == 1,
			  "all time out, and the lock is whole");
		row_print(ops->name, scenario, &o);
		outcome_forget(&o);
	}
}

static void detect_releases(const struct lab_ops *ops, int rounds)
{
	static const int waiters[] = { 1, 4 };
	struct outcome o = { 0 };
	char scenario[40];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(waiters); i++) {
		snprintf(scenario, sizeof(scenario), "owner lets go, %d wait", waiters[i]);
		run_release(ops, waiters[i], rounds, &o);
		row_check(o.timeouts >= o.rounds && !o.victims, "one times out, at least");
		row_check(!o.stuck && o.single == o.rounds, "then each gets the lock");
		row_print(ops->name, scenario, &o);
		outcome_forget(&o);
	}
}

static error_t detect_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'b':
		o->bounds = true;
		return 0;
	case 'j':
		o->json = arg;
		return 0;
	case 'o':
		o->only = arg;
		return 0;
	case 'R':
		o->rivals = true;
		return 0;
	case 'r':
		o->rounds = atoi(arg);
		if (o->rounds < 1)
			argp_error(state, "--rounds: at least 1");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool group_wanted(const struct options *o, const char *group)
{
	return !o->only || !strcmp(o->only, group);
}

int main(int argc, char **argv)
{
	static const struct argp_option table[] = {
		{ "bounds", 'b', NULL, 0,
		  "latencies must be below those of a quiet machine with two CPUs", 0 },
		{ "json", 'j', "FILE", 0, "write the figures there too", 0 },
		{ "only", 'o', "GROUP", 0, "aa, ring, crowd, stall or release", 0 },
		{ "rivals", 'R', NULL, 0, "other resilient locks, too: fewer rounds, no verdict",
		  0 },
		{ "rounds", 'r', "N", 0, "rounds of AA and ABBA; others get a part (default 20000)",
		  0 },
		{ 0 },
	};
	static const struct argp argp = {
		table, detect_parse, NULL, "Deadlocks made to order", 0, 0, 0
	};
	struct options opt = { .rounds = 20000 };
	int i;

	argp_parse(&argp, argc, argv, 0, NULL, &opt);
	shim_init(MAX_CPUS);
	watch_failures();
	report = json_array();
	printf("Closing call to first error, us. %d CPUs: more threads than that take turns.\n",
	       lab_cpus());
	printf("       %-15s %-22s %7s %8s %9s %10s %7s %6s %6s\n", "lock", "scenario", "rounds",
	       "p50", "p99", "max", "1 vict%", "limit", "byst!");
	if (group_wanted(&opt, "aa"))
		lab_team(1, detect_aa, &opt);
	for (i = 0; lab_locks[i]; i++) {
		if (!takes_part(lab_locks[i], &opt))
			continue;
		judged = lab_locks[i]->flags & LAB_OURS;
		if (group_wanted(&opt, "ring"))
			detect_rings(lab_locks[i], &opt);
		if (group_wanted(&opt, "crowd"))
			detect_crowds(lab_locks[i], &opt);
		if (group_wanted(&opt, "stall"))
			detect_stalls(lab_locks[i]);
		if (group_wanted(&opt, "release"))
			detect_releases(lab_locks[i], opt.rounds / 1000 + 1);
	}
	print_recovery(report);
	printf("\n%d passed, %d failed, 0 skipped\n", passed, failed);
	if (opt.json && json_dump_file(report, opt.json, JSON_INDENT(1))) {
		perror(opt.json);
		return 1;
	}
	json_decref(report);
	return failed != 0;
}
