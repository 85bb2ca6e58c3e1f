// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "../base/escape.h"
#include "../base/json_out.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../output/run_report.h"
#include "../run/counting.h"
#include "../run/input.h"
#include "../run/outcome.h"
#include "../run/plan.h"
#include "../run/results.h"
#include "../run/samples.h"
#include "../run/untaken.h"
#include "../run/workload.h"

#define COUNT_MAX 1000000000000ULL

enum { KEY_CPUS = 0x2000, KEY_ROLES, KEY_DATA_IN, KEY_CTX_IN };

struct args {
	struct run_args run;
	bool json;
};

static const struct argp_option options[] = {
	{ "cpus", KEY_CPUS, "LIST", 0,
	  "CPUs to run on, such as 0,2-3: one per role, that is, per program of --roles; a single "
	  "role runs on all of them",
	  1 },
	{ "count", 'c', "N", 0, "Run N rounds of every role", 1 },
	{ "duration", 'd', "TIME", 0, "Run for TIME seconds (or 500ms, 2m, 1h)", 1 },
	{ "rate", 'r', "R", 0, "Start at most R rounds a second", 1 },
	{ "roles", KEY_ROLES, "LIST", 0,
	  "Programs of FILE.bpf.o to run, one per CPU, such as a,b (or a,a: one program on two "
	  "CPUs); they start together in each round; not needed for an object that has one "
	  "program, or names them itself, as those of 'rqspin replay' do",
	  2 },
	{ "data-in", KEY_DATA_IN, "FILE", 0,
	  "Give the programs of FILE.bpf.o the packet in FILE: raw bytes as for 'bpftool prog run' "
	  "(-: standard input); given several times: one for each role, or for each CPU of a "
	  "single role, in their order, and all start together in each round; without it a packet "
	  "is 64 zero bytes",
	  2 },
	{ "ctx-in", KEY_CTX_IN, "FILE", 0,
	  "Give them the context in FILE, such as a struct xdp_md or __sk_buff, or the arguments "
	  "of a raw tracepoint (-: standard input); several times as --data-in",
	  2 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

static void parse_cpus(struct run_args *a, const char *arg, struct argp_state *state)
{
	a->nr_cpus = opt_cpus(arg, a->cpus);
	if (a->nr_cpus == -EEXIST)
		opts_error(state, "--cpus %s: a CPU is named twice", arg);
	if (a->nr_cpus < 0)
		opts_error(state, "--cpus %s: not a list of CPUs such as 0,2-3", arg);
}

static void parse_roles(struct run_args *a, char *arg, struct argp_state *state)
{
	for (char *name = strtok(arg, ","); name; name = strtok(NULL, ",")) {
		if (a->nr_role_names == USER_ROLES_MAX)
			opts_error(state, "--roles: more than %d", USER_ROLES_MAX);
		a->role_names[a->nr_role_names++] = name;
	}
	if (!a->nr_role_names)
		opts_error(state, "--roles: names no program");
}

static void parse_limit(struct run_args *a, int key, const char *arg, struct argp_state *state)
{
	int err;

	switch (key) {
	case 'c':
		err = opt_u64(arg, 1, COUNT_MAX, &a->count);
		if (err)
			opts_error(state, "--count %s: not a number from 1 to %llu", arg,
				   COUNT_MAX);
		return;
	case 'd':
		err = opt_seconds(arg, &a->seconds);
		if (err)
			opts_error(state, "--duration %s: not a time such as 5, 500ms or 2m", arg);
		return;
	case 'r':
		err = opt_u64(arg, 1, 1000000, &a->rate);
		if (err)
			opts_error(state, "--rate %s: not a number from 1 to 1000000", arg);
		return;
	}
}

static void input_add(struct input_files *files, const char *path, struct argp_state *state)
{
	if (!input_files_add(files, path))
		opts_error(state, "--data-in or --ctx-in: at most %d files", INPUT_FILES_MAX);
}

static error_t cmd_run_parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->json;
		return 0;
	case KEY_CPUS:
		parse_cpus(&a->run, arg, state);
		return 0;
	case KEY_ROLES:
		parse_roles(&a->run, arg, state);
		return 0;
	case KEY_DATA_IN:
		input_add(&a->run.data_in, arg, state);
		return 0;
	case KEY_CTX_IN:
		input_add(&a->run.ctx_in, arg, state);
		return 0;
	case 'c':
	case 'd':
	case 'r':
		parse_limit(&a->run, key, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (a->run.what)
			opts_error(state, "one sample at a time, but got '%s' too", arg);
		a->run.what = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		opts_error(state, "name a sample ('rqspin list') or a BPF object");
		return 0;
	case ARGP_KEY_END:
		if (a->run.count && a->run.seconds > 0)
			opts_error(state, "--count and --duration exclude each other");
		if (input_files_stdin(&a->run.data_in) + input_files_stdin(&a->run.ctx_in) > 1)
			opts_error(state,
				   "standard input (-) can be given once to --data-in or --ctx-in");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_run_parse,
	.args_doc = "SAMPLE\nFILE.bpf.o [--roles LIST]",
	.doc = "Load a sample and run its programs, each in its own thread on its own CPU. Print how "
	       "many acquisitions succeeded and failed, and how long they took."
	       "\vIn programs of your own the calls of bpf_res_spin_lock() and "
	       "bpf_res_spin_lock_irqsave() are counted, by what they return; what the programs "
	       "return is printed beside them. With several roles, packets or contexts, a tc, "
	       "syscall or raw_tp program that returns 1 says that the others did not come: the "
	       "round is repeated. Without --count and --duration a sample runs for its default "
	       "number of rounds. Ctrl-C ends the run early and prints the results so far.",
	.children = children,
};

struct run {
	const struct args *args;
	struct plan plan;
	struct workload work;
	struct counting counting;
	struct role_result *results;
	enum counted_by by;
};

static void run_collect(struct run *r)
{
	const struct results_from from = { r->by, r->work.stats, r->counting.calls };

	results_collect(r->results, &r->plan.drive, &from);
}

static void show_progress(const struct drive *d, void *data)
{
	struct run *r = data;
	uint64_t rounds = 0, failed = 0;

	run_collect(r);
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		rounds += d->roles[i].rounds;
		failed += counts_failed(&r->results[i].counts);
	}
	fprintf(stderr, "\r%s: %" PRIu64 " run%s, %" PRIu64 " failed acquisition%s\033[K",
		escaped(r->args->run.what), rounds, rounds == 1 ? "" : "s", failed,
		failed == 1 ? "" : "s");
	fflush(stderr);
}

static bool wants_context(const struct drive *d)
{
	for (unsigned int i = 0; i < d->nr_roles; i++)
		if (d->roles[i].err == -EINVAL && !d->roles[i].batch)
			return true;
	return false;
}

static int explain_drive(const struct run *r, int err)
{
	const struct drive *d = &r->plan.drive;

	if (err == -ETIME) {
		pr_err("%s: the roles never met: in a thousand rounds one of them always "
		       "returned 1, which says that the others did not come; does something else "
		       "keep their CPUs busy, or does 1 mean something else here?",
		       r->args->run.what);
		return EXIT_FAIL;
	}
	for (unsigned int i = 0; i < d->nr_roles; i++)
		if (d->roles[i].err)
			pr_err("%s on CPU %d: %s", d->roles[i].prog, d->roles[i].cpu,
			       strerror(-d->roles[i].err));
	if (d->nr_started < d->nr_roles)
		pr_err("%s: its threads cannot be started: %s", r->args->run.what, strerror(-err));
	else if (err == -EINVAL && (d->inputs[0].data_size || d->inputs[0].ctx_size))
		pr_info("the kernel wants packets of at least 14 bytes, which fit into a page for "
			"most types, and a context of the size that the program's type has");
	else if (err == -EINVAL && wants_context(d))
		pr_info("it may want a context, such as the arguments of its tracepoint: give it "
			"one with --ctx-in");
	return EXIT_FAIL;
}

static void warn_of_counts(const struct run *r)
{
	struct counts sum = results_total(r->results, r->plan.drive.nr_roles);

	if (r->by == COUNTED_BY_NONE)
		pr_warn("acquisitions are not counted: %s", r->counting.linked.why);
	else if (r->by == COUNTED_BY_CALLS && !sum.ok && !counts_failed(&sum))
		untaken_warn(&r->plan.drive, r->counting.objs[0]);
}

static void note_cuts(const struct run *r)
{
	uint64_t cut = 0, runs = 0;

	for (unsigned int i = 0; i < r->plan.drive.nr_roles; i++) {
		cut += r->plan.drive.roles[i].cut;
		runs += r->plan.drive.roles[i].cut_runs;
	}
	if (cut)
		pr_info("%s was stopped or traced: %" PRIu64 " to %" PRIu64
			" runs are missing from ROUNDS",
			r->args->run.what, cut, runs);
}

static int print_report(struct run *r)
{
	struct report rep = {
		.name = r->args->run.what,
		.shows = r->plan.sample ? r->plan.sample->shows : NULL,
		.object = r->plan.path,
		.drive = &r->plan.drive,
		.results = r->results,
		.by = r->by,
		.judged = r->plan.sample && !r->plan.drive.signal,
	};
	char differs[160];

	if (rep.judged && !outcome_judge(&r->plan, r->results, differs, sizeof(differs)))
		rep.differs = differs;
	warn_of_counts(r);
	note_cuts(r);
	if (r->args->json)
		json_put_pretty(report_json(&rep));
	else
		report_text(&rep);
	if (rep.differs) {
		fflush(stdout);
		pr_err("%s: %s", r->args->run.what, rep.differs);
	}
	if (r->plan.drive.signal)
		return 128 + r->plan.drive.signal;
	return rep.differs ? EXIT_FAIL : EXIT_OK;
}

static int run_drive(struct run *r)
{
	bool tty = isatty(STDERR_FILENO);
	int err;

	err = drive_run(&r->plan.drive, tty ? show_progress : NULL, r);
	if (tty)
		fputs("\r\033[K", stderr);
	if (err)
		return explain_drive(r, err);
	run_collect(r);
	return print_report(r);
}

static int load_plain(struct run *r)
{
	static const char *const none[2];
	const struct sample *sample = r->plan.sample;
	struct drive *d = &r->plan.drive;
	int err = workload_start(&r->work, r->plan.path, d->roles, d->nr_roles,
				 sample ? sample->attach : none);

	if (err)
		return err;
	if (r->work.stats && !results_shared(d))
		r->by = COUNTED_BY_PROGRAM;
	else if (r->work.stats || sample)
		r->by = COUNTED_BY_RETURN;
	else
		r->by = COUNTED_BY_NONE;
	return 0;
}

/*
 * Load only the copies that count calls, with the maps of the user's object. If that object's own
 * programs were loaded for a moment, tracers would report them as programs whose failures they may
 * have missed.
 */
static int load_counted(struct run *r)
{
	static const char *const none[2];
	struct drive *d = &r->plan.drive;
	int err;

	r->work.maps_only = true;
	err = workload_start(&r->work, r->plan.path, d->roles, d->nr_roles, none);
	if (err)
		return err;
	r->by = COUNTED_BY_CALLS;
	if (!r->work.stats &&
	    !counting_start(&r->counting, r->work.obj, r->plan.path, d->roles, d->nr_roles))
		return 0;
	workload_close(&r->work);
	r->work = (struct workload){ 0 };
	return load_plain(r);
}

static int run_load(struct run *r)
{
	struct drive *d = &r->plan.drive;
	int err = 0;

	if (r->plan.own)
		err = workload_rehearse(r->plan.path, d->roles, d->nr_roles);
	if (!err)
		err = r->plan.own && !r->plan.sample ? load_counted(r) : load_plain(r);
	d->single = r->by != COUNTED_BY_PROGRAM;
	return err ? err : input_check(d);
}

static int run_setup(struct run *r)
{
	int err = plan_make(&r->plan, &r->args->run);

	if (err)
		return err;
	r->results = calloc(r->plan.drive.nr_roles, sizeof(*r->results));
	if (!r->results) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	return run_load(r);
}

static int run_args(const struct args *args)
{
	struct run r = { .args = args };
	int rc;

	rc = cmd_exit_code(run_setup(&r));
	if (!rc)
		rc = run_drive(&r);
	counting_stop(&r.counting);
	workload_close(&r.work);
	free(r.results);
	plan_free(&r.plan);
	return rc;
}

int cmd_run_object(const char *what, const char *path, bool json)
{
	const struct args args = { .run = { .what = what, .path = path }, .json = json };

	return run_args(&args);
}

static int cmd_run_run(int argc, char **argv)
{
	struct args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return run_args(&args);
}

const struct cmd cmd_run = { "run", "run a sample and count failed acquisitions", &argp,
			     cmd_run_run };
