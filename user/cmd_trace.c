// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "cmd.h"
#include "log.h"
#include "opts.h"
#include "trace_opts.h"

enum { KEY_STACKS = 0x1000, KEY_STRICT, KEY_FAIL, KEY_READY };

struct trace {
	struct trace_opts opts;
	struct trace_totals totals;
	double duration;
	uint64_t count;
	bool strict, fail_on_event;
	const char *ready_file;
	struct session *session;
	int err; /* of standard output */
};

static const struct argp_option options[] = {
	{ "duration", 'd', "TIME", 0, "Stop after this time (seconds, or with ms, s, m, h)", 2 },
	{ "count", 'c', "N", 0, "Stop after N failures shown", 2 },
	{ "stacks", KEY_STACKS, NULL, 0, "Show source line and call trace of each failure", 3 },
	{ "ready-file", KEY_READY, "FILE", 0, "Create FILE once no failure can be missed any more",
	  4 },
	{ "strict", KEY_STRICT, NULL, 0, "Exit with 4 if events were or may have been lost", 5 },
	{ "fail-on-event", KEY_FAIL, NULL, 0, "Exit with 10 if a failure was shown", 5 },
	{ 0 },
};

static const struct argp_child children[] = { { &trace_opts_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trace *t = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->opts;
		return 0;
	case 'd':
		if (opt_seconds(arg, &t->duration))
			argp_error(state, "--duration: '%s' is not a time like 10, 500ms or 2m",
				   arg);
		return 0;
	case 'c':
		if (opt_u64(arg, 1, UINT64_MAX, &t->count))
			argp_error(state, "--count: '%s' is not a positive number", arg);
		return 0;
	case KEY_STACKS:
		t->opts.print.stacks = true;
		return 0;
	case KEY_READY:
		t->ready_file = arg;
		return 0;
	case KEY_STRICT:
		t->strict = true;
		return 0;
	case KEY_FAIL:
		t->fail_on_event = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "takes no arguments, but got '%s'", arg);
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Show each failed lock acquisition as it happens.\v"
	       "One line per failure: time, kind, CPU, task, program, the lock it wanted, the "
	       "locks it holds, who owns the lock. What this kernel cannot tell is called unknown. "
	       "The number of lost events is always given at the end.",
};

static bool done(const void *ctx)
{
	const struct trace *t = ctx;

	return t->err || (t->count && t->totals.shown >= t->count);
}

static void on_failure(const struct failure *f, void *ctx)
{
	struct trace *t = ctx;

	if (done(t))
		return;
	t->totals.events++;
	if (!trace_filter_match(&t->opts.filter, f))
		return;
	t->totals.shown++;
	t->totals.by_kind[f->ev.kind]++;
	t->err = print_failure(t->session, f, &t->opts.print);
}

static int write_ready(const char *path)
{
	FILE *f = fopen(path, "w");
	int err = 0;

	if (!f)
		return -errno;
	if (fprintf(f, "%d\n", getpid()) < 0)
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

static int follow(struct trace *t)
{
	double end = t->duration ? now_s() + t->duration : 0;
	int err = trace_opts_follow(t->session, end, done, t);

	if (!err)
		session_drain(t->session);
	return err;
}

static int exit_code(const struct trace *t)
{
	/* It has been said, or is nobody's business; main() need not say it again. */
	if (t->err)
		clearerr(stdout);
	if (t->err && t->err != -EPIPE) {
		pr_err("standard output: %s", strerror(-t->err));
		return EXIT_FAIL;
	}
	if (t->strict && (t->totals.losses.lost || t->totals.losses.unknown))
		return EXIT_LOST;
	if (t->fail_on_event && t->totals.shown)
		return EXIT_EVENT;
	return EXIT_OK;
}

static int start(struct trace *t)
{
	int err;

	t->session = trace_opts_open(&t->opts, "tracing", on_failure, t, &err);
	if (!t->session)
		return err;
	err = t->ready_file ? write_ready(t->ready_file) : 0;
	if (!err)
		return EXIT_OK;
	pr_err("%s: %s", t->ready_file, strerror(-err));
	session_close(t->session);
	return EXIT_FAIL;
}

static int run(int argc, char **argv)
{
	struct trace t = {};
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &t);
	err = start(&t);
	if (err)
		return err;
	err = follow(&t);
	session_losses(t.session, &t.totals.losses);
	if (!t.err)
		t.err = print_summary(t.session, &t.totals, &t.opts.print);
	session_close(t.session);
	return err ? EXIT_FAIL : exit_code(&t);
}

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "show each failed acquisition as it happens",
	.argp = &argp,
	.run = run,
};
