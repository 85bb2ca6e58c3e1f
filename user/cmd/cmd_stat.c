// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "cmd.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../output/stat_print.h"
#include "../output/stat_table.h"
#include "../base/stop.h"
#include "../kernel/probe.h"
#include "../waits/follow.h"
#include "../waits/missing.h"
#include "../waits/scope.h"
#include "trace_options.h"

struct stat_cmd {
	struct trace_opts opts;
	bool waits, folded;
	struct wait_scope scope;
	double interval; /* 0: one table, at the end */
	uint64_t count;	 /* 0: until stopped */
	enum stat_by by;
	bool incomplete; /* failures are missing from the tables, or may be */
	uint64_t seen;
	bool matched; /* some failures passed the filters */
	struct losses losses;
	struct stat_table *table;
	struct session *session;
};

enum { KEY_BY = 0x1000, KEY_WAITS, KEY_FOLDED };

static const struct argp_option options[] = {
	{ "by", KEY_BY, "WHAT", 0,
	  "Group by program name (name), loaded program (prog), lock name (lock) or source line "
	  "(line). All except prog add up objects that were loaded again",
	  2 },
	{ "waits", KEY_WAITS, NULL, 0,
	  "Count waits instead, also those that end well: by lock and caller, with a histogram",
	  2 },
	{ "folded", KEY_FOLDED, NULL, 0,
	  "With --waits: print stacks and nanoseconds, as flamegraph.pl reads them", 2 },
	{ 0 },
};

static const struct argp_child children[] = { { &trace_opts_argp, 0, NULL, 0 },
					      { &wait_scope_argp, 0, NULL, 0 },
					      { 0 } };

static void check_waits(const struct stat_cmd *st, const struct argp_state *state)
{
	if (st->folded && !st->waits)
		opts_error(state, "--folded is for --waits");
	if (wait_scope_any(&st->scope) && !st->waits)
		opts_error(state, "--cgroup and --by-cgroup are for --waits");
	if (st->folded && st->opts.print.json)
		opts_error(state, "give one of --folded and --json");
	if (st->waits &&
	    (st->interval || st->by || st->opts.sources ||
	     st->opts.tuning.buffer != SESSION_BUFFER || trace_filter_any(&st->opts.filter)))
		opts_error(state, "--waits takes neither INTERVAL nor --by, --source, --buffer or "
				  "filters");
}

static error_t cmd_stat_parse(int key, char *arg, struct argp_state *state)
{
	struct stat_cmd *st = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &st->opts;
		state->child_inputs[1] = &st->scope;
		return 0;
	case KEY_BY:
		if (stat_by_parse(arg, &st->by))
			opts_error(state, "--by: '%s' is none of name, prog, lock, line", arg);
		return 0;
	case KEY_WAITS:
		st->waits = true;
		return 0;
	case KEY_FOLDED:
		st->folded = true;
		return 0;
	case ARGP_KEY_END:
		check_waits(st, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0 && opt_seconds(arg, &st->interval))
			opts_error(state, "'%s' is not an interval like 1, 500ms or 2m", arg);
		if (state->arg_num == 1 && opt_u64(arg, 1, UINT64_MAX, &st->count))
			opts_error(state, "'%s' is not a positive count", arg);
		if (state->arg_num > 1)
			opts_error(state, "one argument too many: '%s'", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_stat_parse,
	.children = children,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = "Count failed acquisitions by program, lock and kind.\v"
	       "With INTERVAL, print a table of the failures in each interval, COUNT times. Without "
	       "it, print one table at Ctrl-C or at the end of --duration. Failures are counted where "
	       "they happen, so the counts are exact at any rate. The line \"others\" counts failures "
	       "about which nothing else is known. With --waits no failures are counted, but "
	       "waits, where the kernel tells of them; what it does not tell of is printed.",
};

static void on_failure(const struct failure *f, void *ctx)
{
	struct stat_cmd *st = ctx;

	st->seen++;
	if (!trace_filter_match(&st->opts.filter, f, session_locks(st->session)))
		return;
	st->matched = true;
	stat_table_add(st->table, f, 1, session_locks(st->session));
}

/* @nr failures that were counted but not recorded; @like is one like them, or NULL. */
static void on_loss(const struct failure *like, __u64 nr, void *ctx)
{
	struct stat_cmd *st = ctx;
	const struct trace_filter *flt = &st->opts.filter;
	bool known = like && !trace_filter_by_task(flt);

	nr = stat_table_since(st->table, like, nr);
	if (!nr)
		return;
	st->seen += nr;
	if (known && !trace_filter_match(flt, like, session_locks(st->session)))
		return;
	st->matched = true; /* or may have been: unknown failures cannot be filtered */
	if (known)
		stat_table_add(st->table, like, nr, session_locks(st->session));
	else if (trace_filter_any(flt))
		st->losses.lost += nr;
	else
		stat_table_add_others(st->table, nr);
}

static int print_table(struct stat_cmd *st)
{
	session_losses(st->session, &st->losses);
	st->losses.lost = 0;
	session_lost_each(st->session, on_loss, st);
	st->incomplete |= st->losses.lost || losses_possible(&st->losses);
	return stat_print(st->table, &st->losses, &st->opts.print);
}

/* The earlier of two times; 0 means never. */
static double time_earlier(double a, double b)
{
	return a && (!b || a < b) ? a : b;
}

static int stat_follow(struct session *s, struct stat_cmd *st)
{
	double end = st->interval ? now_s() + st->interval : 0;
	double over = st->opts.duration ? now_s() + st->opts.duration : 0;
	uint64_t left = st->count ? st->count : UINT64_MAX;
	int err;

	for (;;) {
		bool last;

		err = trace_opts_follow(s, time_earlier(end, over), NULL, NULL);
		if (err)
			return err;
		last = stop_asked() || left == 1 || (over && now_s() >= over);
		if (last)
			session_drain(s);
		err = print_table(st);
		left--;
		if (last && !st->matched)
			trace_filter_no_match(&st->opts.filter, st->seen);
		if (err || last)
			return out_failed(err);
		end += st->interval;
	}
}

static int run_waits(struct stat_cmd *st)
{
	const struct trace_opts *o = &st->opts;
	struct waits_opts opts = { o->duration, o->print.json, st->folded, o->print.no_addr,
				   &st->scope };
	bool lossy = false;
	int err;

	if (!probe_allowed())
		return EXIT_UNSUPPORTED;
	err = wait_scope_find(&st->scope);
	err = err ?: waits_follow(&opts, waits_missing(), &lossy);
	if (err)
		return cmd_exit_code(err);
	return o->strict && lossy ? EXIT_LOST : EXIT_OK;
}

static int cmd_stat_run(int argc, char **argv)
{
	struct stat_cmd st = {};
	struct session *s;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &st);
	if (st.waits)
		return run_waits(&st);
	st.opts.print.stamp = st.interval > 0;
	st.table = stat_table_new(st.by);
	if (!st.table) {
		pr_err("out of memory");
		return EXIT_FAIL;
	}
	err = trace_opts_open(&s, &st.opts, "counting", on_failure, &st);
	if (err) {
		stat_table_free(st.table);
		return cmd_exit_code(err);
	}
	st.session = s;
	err = stat_follow(s, &st);
	session_close(s);
	stat_table_free(st.table);
	if (err)
		return EXIT_FAIL;
	return st.opts.strict && st.incomplete ? EXIT_LOST : EXIT_OK;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "count failed acquisitions by program, lock and kind",
	.argp = &argp,
	.run = cmd_stat_run,
};
