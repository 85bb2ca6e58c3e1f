// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "cpus.h"
#include "log.h"
#include "opts.h"
#include "probe.h"
#include "report.h"
#include "run_what.h"
#include "samples.h"
#include "workload.h"

#define COUNT_MAX      1000000000000ULL
#define ROUNDS_DEFAULT 100
#define USER_ROLES_MAX 64

enum { KEY_CPUS = 0x2000, KEY_ROLES, KEY_ATTACH };

struct args {
	const char *what; /* sample or path */
	int cpus[OPT_CPUS_MAX];
	int nr_cpus; /* 0: not given */
	uint64_t count, rate;
	double seconds;
	bool json;
	char *role_names[USER_ROLES_MAX];
	unsigned int nr_role_names;
};

static const struct argp_option options[] = {
	{ "cpus", KEY_CPUS, "LIST", 0,
	  "CPUs to run on, such as 0,2-3: one per role; a single role runs on all of them", 1 },
	{ "count", 'c', "N", 0, "Run N rounds of every role", 1 },
	{ "duration", 'd', "TIME", 0, "Run for TIME seconds (or 500ms, 2m, 1h)", 1 },
	{ "rate", 'r', "R", 0, "Start at most R rounds a second", 1 },
	{ "roles", KEY_ROLES, "LIST", 0, "Programs of FILE.bpf.o to run, one per CPU, such as a,b",
	  2 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static void parse_cpus(struct args *a, const char *arg, struct argp_state *state)
{
	a->nr_cpus = opt_cpus(arg, a->cpus);
	if (a->nr_cpus == -EEXIST)
		argp_error(state, "--cpus %s: a CPU is named twice", arg);
	if (a->nr_cpus < 0)
		argp_error(state, "--cpus %s: not a list of CPUs such as 0,2-3", arg);
}

static void parse_roles(struct args *a, char *arg, struct argp_state *state)
{
	for (char *name = strtok(arg, ","); name; name = strtok(NULL, ",")) {
		if (a->nr_role_names == USER_ROLES_MAX)
			argp_error(state, "--roles: more than %d", USER_ROLES_MAX);
		a->role_names[a->nr_role_names++] = name;
	}
	if (!a->nr_role_names)
		argp_error(state, "--roles: names no program");
}

static void parse_limit(struct args *a, int key, const char *arg, struct argp_state *state)
{
	int err;

	switch (key) {
	case 'c':
		err = opt_u64(arg, 1, COUNT_MAX, &a->count);
		if (err)
			argp_error(state, "--count %s: not a number from 1 to %llu", arg,
				   COUNT_MAX);
		return;
	case 'd':
		err = opt_seconds(arg, &a->seconds);
		if (err)
			argp_error(state, "--duration %s: not a time such as 5, 500ms or 2m", arg);
		return;
	case 'r':
		err = opt_u64(arg, 1, 1000000, &a->rate);
		if (err)
			argp_error(state, "--rate %s: not a number from 1 to 1000000", arg);
		return;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->json;
		return 0;
	case KEY_CPUS:
		parse_cpus(a, arg, state);
		return 0;
	case KEY_ROLES:
		parse_roles(a, arg, state);
		return 0;
	case 'c':
	case 'd':
	case 'r':
		parse_limit(a, key, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (a->what)
			argp_error(state, "one sample at a time, but got '%s' too", arg);
		a->what = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name a sample ('rqspin list') or a BPF object");
		return 0;
	case ARGP_KEY_END:
		if (a->count && a->seconds > 0)
			argp_error(state, "--count and --duration exclude each other");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "SAMPLE\nFILE.bpf.o --roles LIST",
	.doc = "Load a sample and run its programs, each in a thread of its own on a CPU of its "
	       "own; then print how many acquisitions succeeded and failed, and how long they "
	       "took.\vPrograms of your own return 0 for an acquisition and the negative errno of "
	       "the lock for a failure; other return values are counted as OTHER, 1 not at all. "
	       "Without --count and --duration a sample runs as many rounds as suit it. "
	       "Ctrl-C ends the run early; what was measured so far is printed.",
	.children = children,
};

/* A run: what it is made of, in the order in which it is set up. */
struct run {
	const struct args *args;
	const struct sample *sample; /* NULL: the user's own object */
	char *path;
	struct workload work;
	struct role *roles;
	struct role_result *results;
	struct drive drive;
	bool shared;	/* CPUs: by roles that need not meet */
	bool by_return; /* counts are of return values: nothing better can be told apart */
};

static int choose_sample(struct run *r)
{
	const struct args *a = r->args;

	if (what_is_path(a->what)) {
		int rc = what_check_object(a->what);

		if (rc || a->nr_role_names)
			return rc;
		return what_ask_for_roles(a->what);
	}
	r->sample = sample_find(a->what);
	if (!r->sample)
		return what_unknown_sample(a->what);
	if (r->sample->by_hand) {
		pr_err("%s is driven by hand, with bpftool: the comment on top of %s.bpf.c says how "
		       "(bpf/progs of the sources, share/doc/rqspin/progs when installed)",
		       a->what, a->what);
		return EXIT_UNSUPPORTED;
	}
	if (a->nr_role_names) {
		pr_err("--roles is for objects of your own; %s has its roles", a->what);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int find_object(struct run *r)
{
	const char *dir = getenv("RQSPIN_PROGS_DIR");

	r->path = r->sample ? sample_object(r->args->what) : strdup(r->args->what);
	if (r->path)
		return EXIT_OK;
	if (dir)
		pr_err("no %s.bpf.o in %s, which RQSPIN_PROGS_DIR names", r->args->what, dir);
	else
		pr_err("%s.bpf.o is neither beside this binary nor installed; 'make build' makes it",
		       r->args->what);
	return EXIT_FAIL;
}

static int refuse_cpus(const struct run *r, unsigned int need, int have)
{
	const char *name = r->args->what;

	if (r->args->nr_cpus) {
		pr_err("%s needs %u CPUs, one per role; --cpus names %d", name, need, have);
		return EXIT_USAGE;
	}
	pr_err("%s needs %u CPUs, one per role; this machine lets us use %d: use a machine or "
	       "guest with more CPUs (in the sources: make vm, 4 CPUs)",
	       name, need, have);
	return EXIT_UNSUPPORTED;
}

/* How many threads; a program that is alone in its sample runs on every CPU that was named. */
static int choose_threads(const struct run *r, int have, unsigned int *nr)
{
	unsigned int named = r->args->nr_cpus;
	unsigned int roles = r->sample ? sample_nr_roles(r->sample) : r->args->nr_role_names;
	unsigned int need = r->sample ? r->sample->min_cpus : roles;

	if (have < (int)need)
		return refuse_cpus(r, need, have);
	if (r->sample && r->sample->role_per_cpu)
		*nr = named ? named : (unsigned int)have;
	else if (roles == 1)
		*nr = named ? named : 1;
	else if (named > roles)
		return refuse_cpus(r, roles, have);
	else
		*nr = roles;
	return EXIT_OK;
}

static const char *role_name(const struct run *r, unsigned int i)
{
	unsigned int nr = r->sample ? sample_nr_roles(r->sample) : r->args->nr_role_names;

	if (nr == 1)
		i = 0;
	return r->sample ? r->sample->roles[i] : r->args->role_names[i];
}

static int check_cpus(const struct run *r)
{
	for (int i = 0; i < r->args->nr_cpus; i++) {
		if (cpu_usable(r->args->cpus[i]))
			continue;
		pr_err("CPU %d is offline, absent or not allowed to us", r->args->cpus[i]);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int make_roles(struct run *r)
{
	struct drive *d = &r->drive;
	int usable[OPT_CPUS_MAX];
	const int *cpus = r->args->nr_cpus ? r->args->cpus : usable;
	int have = r->args->nr_cpus ?: cpus_usable(usable);
	int rc = choose_threads(r, have, &d->nr_roles);

	if (!rc)
		rc = check_cpus(r);
	if (rc)
		return rc;
	d->roles = r->roles = calloc(d->nr_roles, sizeof(*r->roles));
	r->results = calloc(d->nr_roles, sizeof(*r->results));
	if (!r->roles || !r->results) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	r->shared = have < (int)d->nr_roles;
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		r->roles[i].prog = role_name(r, i);
		r->roles[i].cpu = cpus[i % have];
	}
	d->lockstep = r->sample ? sample_nr_roles(r->sample) > 1 || r->sample->role_per_cpu :
				  r->args->nr_role_names > 1;
	return EXIT_OK;
}

static void set_limits(struct run *r)
{
	struct drive *d = &r->drive;

	d->rate = r->args->rate;
	d->seconds = r->args->seconds;
	d->count = r->args->count;
	if (!d->count && d->seconds <= 0)
		d->count = r->sample ? r->sample->rounds : ROUNDS_DEFAULT;
	r->by_return = !r->work.stats || r->shared;
	d->single = r->by_return;
}

static void collect(struct run *r)
{
	for (unsigned int i = 0; i < r->drive.nr_roles; i++) {
		const struct role *role = &r->roles[i];
		struct role_result *res = &r->results[i];
		const struct sample_stats *st;

		memset(res, 0, sizeof(*res));
		if (r->by_return) {
			res->counts = role->ret;
			res->ok = role->ret_ok;
			res->fail = role->ret_fail;
			continue;
		}
		st = &r->work.stats[role->cpu % SAMPLE_CPUS];
		res->counts = (struct counts){ st->ok, st->edeadlk, st->etimedout, st->other };
		hist_merge(&res->ok, st->hist_ok);
		hist_merge(&res->fail, st->hist_fail);
	}
}

static void show_progress(const struct drive *d, void *data)
{
	struct run *r = data;
	uint64_t rounds = 0, failed = 0;

	collect(r);
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		rounds += r->roles[i].rounds;
		failed += counts_failed(&r->results[i].counts);
	}
	fprintf(stderr, "\r%s: %" PRIu64 " runs, %" PRIu64 " failed acquisitions\033[K",
		r->args->what, rounds, failed);
	fflush(stderr);
}

static int explain_drive(const struct run *r, int err)
{
	const struct drive *d = &r->drive;

	if (err == -ETIME) {
		pr_err("%s: the roles never met; are their CPUs shared with something that does "
		       "not yield?",
		       r->args->what);
		return EXIT_FAIL;
	}
	for (unsigned int i = 0; i < d->nr_roles; i++)
		if (r->roles[i].err)
			pr_err("%s on CPU %d: %s", r->roles[i].prog, r->roles[i].cpu,
			       strerror(-r->roles[i].err));
	return EXIT_FAIL;
}

/* Every negative return value has to be among the failures that the programs counted. */
static bool check_returns(const struct run *r, const struct counts *sum, char *why, size_t size)
{
	uint64_t returned = 0;

	for (unsigned int i = 0; i < r->drive.nr_roles; i++)
		returned += r->roles[i].ret.edeadlk + r->roles[i].ret.etimedout;
	if (returned <= counts_failed(sum))
		return true;
	snprintf(why, size, "%" PRIu64 " runs returned an error, but %" PRIu64 " were counted",
		 returned, counts_failed(sum));
	return false;
}

/* Did it come out as its sample announces? */
static bool judge(const struct run *r, const struct report *rep, char *why, size_t size)
{
	struct counts sum = report_total(rep);
	uint64_t rounds = r->drive.rounds;

	if (!r->sample || r->drive.signal)
		return true;
	if (!r->drive.lockstep)
		for (unsigned int i = 0; i < r->drive.nr_roles; i++)
			rounds += r->roles[i].rounds;
	return check_returns(r, &sum, why, size) &&
	       outcome_check(r->sample->expect, &sum, rounds, why, size);
}

/* Verdicts of a packet filter say nothing about its locks. */
static void warn_of_returns(const struct run *r)
{
	for (unsigned int i = 0; !r->sample && i < r->drive.nr_roles; i++) {
		const struct role *role = &r->roles[i];

		/* Programs that meet say SAMPLE_ALONE when they did not. */
		if (role->ret_positive > (r->drive.nr_roles > 1 ? role->alone : 0))
			pr_warn("%s returned something positive %" PRIu64
				" times: counted are 0, an "
				"acquisition, and a negative errno, a failure (1: not at all)",
				role->prog, role->ret_positive);
	}
}

static int print_report(struct run *r)
{
	struct report rep = {
		.name = r->args->what,
		.shows = r->sample ? r->sample->shows : NULL,
		.object = r->path,
		.drive = &r->drive,
		.results = r->results,
		.by_return = r->by_return,
		.judged = r->sample && !r->drive.signal,
	};
	char differs[160];

	if (!judge(r, &rep, differs, sizeof(differs)))
		rep.differs = differs;
	warn_of_returns(r);
	if (r->args->json) {
		json_t *o = report_json(&rep);

		json_dumpf(o, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(o);
	} else {
		report_text(&rep);
	}
	if (rep.differs) {
		fflush(stdout);
		pr_err("%s: %s", r->args->what, rep.differs);
	}
	if (r->drive.signal)
		return 128 + r->drive.signal;
	return rep.differs ? EXIT_FAIL : EXIT_OK;
}

static int drive(struct run *r)
{
	bool tty = isatty(STDERR_FILENO);
	int err;

	set_limits(r);
	err = drive_run(&r->drive, tty ? show_progress : NULL, r);
	if (tty)
		fputs("\r\033[K", stderr);
	if (err)
		return explain_drive(r, err);
	collect(r);
	return print_report(r);
}

static int check_needs(const struct run *r)
{
	static const struct {
		const char *needs, *what;
		enum probe_id id;
	} needs[] = {
		{ "trampoline", "fentry and fexit", PROBE_TRAMPOLINE },
		{ "unlock_ooo", "release out of order", PROBE_UNLOCK_OOO },
	};

	for (size_t i = 0; r->sample && i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (strcmp(r->sample->needs, needs[i].needs) || probe(needs[i].id))
			continue;
		pr_err("%s needs %s: %s", r->sample->name, needs[i].what, probe_why(needs[i].id));
		return EXIT_UNSUPPORTED;
	}
	return EXIT_OK;
}

static int setup(struct run *r)
{
	static const char *const none[2];
	int rc;

	rc = choose_sample(r);
	if (!rc)
		rc = make_roles(r);
	if (!rc && !probe_allowed())
		rc = EXIT_UNSUPPORTED;
	if (!rc)
		rc = check_needs(r);
	if (!rc)
		rc = find_object(r);
	if (!rc)
		rc = workload_open(&r->work, r->path);
	if (!rc)
		rc = workload_load(&r->work, r->roles, r->drive.nr_roles,
				   r->sample ? r->sample->attach : none);
	return rc;
}

static int run(int argc, char **argv)
{
	struct args args = { 0 };
	struct run r = { .args = &args };
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	rc = setup(&r);
	if (!rc)
		rc = drive(&r);
	workload_close(&r.work);
	free(r.results);
	free(r.roles);
	free(r.path);
	return rc;
}

const struct cmd cmd_run = { "run", "run a sample and count failed acquisitions", &argp, run };
