// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "cmd.h"
#include "log.h"
#include "opts.h"
#include "stat_table.h"
#include "stop.h"
#include "trace_opts.h"

struct stat_cmd {
	struct trace_opts opts;
	double interval; /* 0: one table, at the end */
	uint64_t count;	 /* 0: until stopped */
	struct stat_table *table;
	struct session *session;
};

static const struct argp_child children[] = { { &trace_opts_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_cmd *st = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &st->opts;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0 && opt_seconds(arg, &st->interval))
			argp_error(state, "'%s' is not an interval like 1, 500ms or 2m", arg);
		if (state->arg_num == 1 && opt_u64(arg, 1, UINT64_MAX, &st->count))
			argp_error(state, "'%s' is not a positive count", arg);
		if (state->arg_num > 1)
			argp_error(state, "one argument too many: '%s'", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.parser = parse,
	.children = children,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = "Count failed acquisitions by program, lock and kind.\v"
	       "With an interval one table per interval, of what failed in it; COUNT of them. "
	       "Without, one table when stopped with Ctrl-C.",
};

static void on_failure(const struct failure *f, void *ctx)
{
	struct stat_cmd *st = ctx;

	if (trace_filter_match(&st->opts.filter, f))
		stat_table_add(st->table, f, session_locks(st->session));
}

static int follow(struct session *s, struct stat_cmd *st)
{
	double end = st->interval ? now_s() + st->interval : 0;
	uint64_t left = st->count ? st->count : UINT64_MAX;
	int err;

	for (;;) {
		err = trace_opts_follow(s, end, NULL, NULL);
		if (err)
			return err;
		if (stop_asked() || left == 1)
			session_drain(s);
		err = stat_table_print(st->table, s, &st->opts.print);
		if (err && err != -EPIPE)
			pr_err("standard output: %s", strerror(-err));
		if (err || stop_asked() || !--left)
			return err == -EPIPE ? 0 : err;
		end += st->interval;
	}
}

static int run(int argc, char **argv)
{
	struct stat_cmd st = {};
	struct session *s;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &st);
	st.opts.print.stamp = st.interval > 0;
	st.table = stat_table_new();
	if (!st.table) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	s = trace_opts_open(&st.opts, "counting", on_failure, &st, &err);
	if (!s) {
		stat_table_free(st.table);
		return err;
	}
	st.session = s;
	err = follow(s, &st);
	session_close(s);
	stat_table_free(st.table);
	return err ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "count failed acquisitions by program, lock and kind",
	.argp = &argp,
	.run = run,
};
