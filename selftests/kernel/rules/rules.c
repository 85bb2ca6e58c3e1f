// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the verifier enforce its rules? Loads random programs and compares the verifier's verdict
 * with that of a simulation; accepted programs are run as well.
 *	rules [--count N] [--seconds S] [--seed S] [--without RULE] [--show] [--program TEXT]
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gen.h"
#include "load.h"
#include "shrink.h"
#include "tally.h"
#include "text.h"

#define FULL_RUN 10000 /* programs, after which all features and rules must have occurred */
#define FEW	 100   /* programs, below which shares are not meaningful */

static struct options {
	unsigned long count, seed, seconds;
	enum rule without;
	const char *program;
	bool show, shrink;
} opts = { .count = FULL_RUN, .seed = 1 };

static unsigned long parse_number(const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 0);

	if (*end || end == arg)
		argp_error(state, "'%s' is not a number", arg);
	return n;
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'n':
		opts.count = parse_number(arg, state);
		break;
	case 's':
		opts.seed = parse_number(arg, state);
		break;
	case 't':
		opts.seconds = parse_number(arg, state);
		break;
	case 'w':
		opts.show = true;
		break;
	case 'm':
		opts.shrink = true;
		break;
	case 'p':
		opts.program = arg;
		break;
	case 'x':
		opts.without = find_rule(arg);
		if (!opts.without)
			argp_error(state, "no rule '%s': the end of a run lists them", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option options[] = {
	{ "count", 'n', "N", 0, "how many programs (10000)", 0 },
	{ "seed", 's', "S", 0, "of the first one (1)", 0 },
	{ "seconds", 't', "S", 0, "stop after S seconds, but not before 100 programs", 0 },
	{ "show", 'w', NULL, 0, "print each program and both verdicts", 0 },
	{ "shrink", 'm', NULL, 0, "print the smallest part of a program that still disagrees", 0 },
	{ "program", 'p', "TEXT", 0, "judge this program only: 'tc lock g0 ( unlock g0 | )'", 0 },
	{ "without", 'x', "RULE", 0,
	  "leave RULE out of the simulation, and stop when the verifier disagrees", 0 },
	{ 0 },
};
static const struct argp argp = { options, parse_opt, NULL, "Compare the verifier with its rules.",
				  0,	   0,	      0 };

struct run {
	struct answers answers;
	struct loader *loader;
	struct program program;
	struct loaded nested; /* the last accepted program at function entry */
	struct tally tally;
};

/* A disagreement: the first rule that is broken, and the verifier's verdict. */
struct disagreement {
	struct run *run;
	enum rule broken;
	int err;
};

static bool same_disagreement(void *arg)
{
	const struct disagreement *d = arg;
	struct verdict v = sim_program(&d->run->program, &d->run->answers, opts.without);
	struct loaded loaded;
	int err;

	if (v.broken != d->broken)
		return false;
	err = load_program(d->run->loader, &d->run->program, false, &loaded);
	unload_program(&loaded);
	return err == d->err;
}

static void run_disagrees(struct run *r, unsigned long seed, const struct verdict *v, int err)
{
	struct disagreement d = { r, v->broken, err };
	struct loaded loaded;

	r->tally.disagreed++;
	if (opts.shrink)
		shrink_program(&r->program, same_disagreement, &d);
	load_program(r->loader, &r->program, true, &loaded);
	unload_program(&loaded);
	fprintf(stderr, "# seed %lu: the rules: %s; the verifier: %s\n", seed,
		rules[v->broken].text, err ? strerror(-err) : "accepted");
	print_program(&r->program, stderr);
	fprintf(stderr, "%s\n", r->loader->log);
}

/* Would the program be accepted without the rule that it breaks first? */
static void count_decisive(struct run *r, enum rule broken)
{
	if (!sim_program(&r->program, &r->answers, broken).broken)
		r->tally.decisive[broken]++;
}

/* A program at function entry stays attached, to run within the programs after it. */
static void run_accepted(struct run *r, unsigned long seed, const struct verdict *v,
			 struct loaded *loaded)
{
	int err;

	if (v->risky || (r->program.env == ENV_FENTRY && v->plain)) {
		r->tally.not_run++;
		return;
	}
	if (r->program.env == ENV_FENTRY) {
		unload_program(&r->nested);
		r->nested = *loaded;
		loaded->prog = loaded->link = -1;
		return;
	}
	err = run_program(r->loader, &r->program, loaded);
	r->tally.nested += r->nested.prog >= 0;
	if (!err)
		return;
	r->tally.failed++;
	fprintf(stderr, "# seed %lu: cannot be run: %s\n", seed, strerror(err));
}

static void run_judge(struct run *r, unsigned long seed)
{
	struct verdict v = sim_program(&r->program, &r->answers, opts.without);
	struct loaded loaded = { -1, -1 };
	int err = v.broken == R_NO_VERDICT ? -E2BIG :
					     load_program(r->loader, &r->program, false, &loaded);

	if (opts.show) {
		printf("# seed %lu: %s\n", seed, rules[v.broken].text);
		print_program(&r->program, stdout);
	}
	if (err == -E2BIG || err == -ENOMEM) {
		r->tally.undecided++;
	} else if (!err == !!v.broken || (err && !is_refusal(err))) {
		run_disagrees(r, seed, &v, err);
	} else {
		count_verdict(&r->tally, &v);
		if (v.broken)
			count_decisive(r, v.broken);
		else
			run_accepted(r, seed, &v, &loaded);
	}
	unload_program(&loaded);
}

static int print_result(int number, bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", number, what);
	return ok ? 0 : 1;
}

/* A limit in seconds: an emulated machine loads a few programs a second, a real one thousands. */
static bool time_is_up(unsigned long done)
{
	static time_t start;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start)
		start = now.tv_sec;
	return opts.seconds && done >= 100 && now.tv_sec - start >= (time_t)opts.seconds;
}

static int both_verdicts(const struct tally *t)
{
	static const char what[] = "a quarter of the programs or more for each verdict";

	if (t->programs >= FEW)
		return print_result(
			2, t->accepted * 4 > t->programs && t->refused * 4 > t->programs, what);
	printf("ok 2 - %s # SKIP fewer than %d programs\n", what, FEW);
	return 0;
}

static int run_report(const struct run *r)
{
	const struct tally *t = &r->tally;
	bool full = t->programs >= FULL_RUN;
	int failed;

	print_tally(t, &r->answers);
	printf("1..%d\n", full ? 6 : 4);
	failed = print_result(1, !t->disagreed, "verifier and rules agree");
	failed += both_verdicts(t);
	failed += print_result(3, !t->failed, "what is accepted can be run");
	failed += print_result(4, t->undecided * 100 <= t->programs,
			       "at most one in a hundred is undecided");
	if (!full)
		return failed;
	failed += print_result(5, features_covered(t, &r->answers),
			       "each feature of the kernel was accepted and refused");
	return failed +
	       print_result(6, rules_covered(t, &r->answers), "each rule decided a verdict");
}

static int judge_text(struct run *r)
{
	if (parse_program(&r->program, opts.program))
		return 2;
	opts.show = true;
	run_judge(r, 0);
	if (!r->tally.disagreed)
		printf("# the verifier agrees\n");
	return r->tally.disagreed ? 1 : 0;
}

static int run_compare(struct run *r)
{
	struct tally *t = &r->tally;

	for (; t->programs < opts.count && !time_is_up(t->programs); t->programs++) {
		if (opts.without && t->disagreed)
			break;
		gen_program(&r->program, opts.seed + t->programs, &r->answers);
		run_judge(r, opts.seed + t->programs);
	}
	unload_program(&r->nested);
	return run_report(r) ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct run run = { .nested = { -1, -1 } };
	static struct loader loader;
	static struct kernel kernel;
	bool lacks;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	if (open_kernel(&kernel, &lacks))
		return 1;
	if (lacks) {
		printf("1..0 # SKIP this kernel lacks the locks: 6.15 or the patched 6.12 has them\n");
		return 0;
	}
	loader.kernel = &kernel;
	run.loader = &loader;
	ask_kernel(&kernel, &run.answers);
	return opts.program ? judge_text(&run) : run_compare(&run);
}
