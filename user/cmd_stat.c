// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "log.h"
#include "opts.h"
#include "probe.h"
#include "stat_table.h"
#include "stop.h"
#include "trace.h"
#include "trace_filter.h"
#include "trace_print.h"

#define POLL_MS 10

enum { KEY_NO_ADDR = 0x1000, KEY_SOURCE };

struct stat_cmd {
	struct trace_filter filter;
	struct print_opts print;
	double interval; /* 0: one table, at the end */
	uint64_t count;	 /* 0: until stopped */
	const char *sources;
	struct stat_table *table;
	struct session *session;
};

static const struct argp_option options[] = {
	{ "no-addr", KEY_NO_ADDR, NULL, 0, "Show no kernel addresses", 3 },
	{ "source", KEY_SOURCE, "LIST", 0, "Use exactly these sources, as for trace", 4 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &trace_filter_argp, 0, NULL, 0 },
	{ &opts_common, 0, NULL, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_cmd *st = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &st->filter;
		state->child_inputs[1] = &st->print.json;
		return 0;
	case KEY_NO_ADDR:
		st->print.no_addr = true;
		return 0;
	case KEY_SOURCE:
		st->sources = arg;
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
	.options = options,
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

	if (trace_filter_match(&st->filter, f))
		stat_table_add(st->table, f, session_locks(st->session));
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int wait_until(struct session *s, double end)
{
	while (!stop_asked() && (!end || now() < end)) {
		int err = session_poll(s, POLL_MS);

		if (err) {
			pr_err("waiting for events: %s", strerror(-err));
			return err;
		}
	}
	return 0;
}

static int follow(struct session *s, struct stat_cmd *st)
{
	double end = st->interval ? now() + st->interval : 0;
	uint64_t left = st->count ? st->count : UINT64_MAX;
	int err;

	for (;;) {
		err = wait_until(s, end);
		if (err)
			return err;
		if (stop_asked() || left == 1)
			session_drain(s);
		err = stat_table_print(st->table, s, &st->print);
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
	char names[128];
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &st);
	if (!probe_allowed())
		return EXIT_UNSUPPORTED;
	if (!trace_filter_valid(&st.filter))
		return EXIT_FAIL;
	stop_init();
	st.table = stat_table_new();
	s = st.table ? session_open(st.sources, on_failure, &st) : NULL;
	if (!s) {
		stat_table_free(st.table);
		return errno == EINVAL ? EXIT_USAGE : EXIT_UNSUPPORTED;
	}
	st.session = s;
	session_sources(s, names, sizeof(names));
	pr_info("counting failed acquisitions; sources: %s", names);
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
