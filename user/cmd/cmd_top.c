// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../base/stop.h"
#include "cmd.h"
#include "../counts/counts.h"
#include "../counts/series.h"
#include "../output/print.h"
#include "../output/screen/batch.h"
#include "../output/screen/colors.h"
#include "../output/screen/contention.h"
#include "../output/screen/latest.h"
#include "../output/screen/rows.h"
#include "../output/screen/screen.h"
#include "../output/screen/snapshot.h"
#include "../output/screen/state.h"
#include "trace_options.h"
#include "../waits/missing.h"

#define INTERVAL_S 1
#define MAX_ROWS   1000

struct top {
	struct trace_opts opts;
	uint64_t count; /* 0: until stopped */
	uint64_t max_rows;
	bool batch, waits;
	struct contention *contention;
	const char *not_seen;
	int err;     /* of on_poll() */
	int out_err; /* of standard output: its reader may have gone */
	struct top_state state;
	struct counts counts;
	struct latests *latest;
	struct snapshot snap;
	char sources[128];
	struct session *session;
};

enum { KEY_BATCH = 0x1000, KEY_BY, KEY_SORT, KEY_ROWS, KEY_WAITS, KEY_COLOR };

static const struct argp_option options[] = {
	{ "batch", 'b', NULL, 0, "Print tables on standard output, also without a terminal", 1 },
	{ "iterations", 'n', "N", 0, "End after N refreshes", 1 },
	{ "interval", 'i', "TIME", 0, "Between two refreshes (1 s)", 2 },
	{ "by", KEY_BY, "WHAT", 0,
	  "A row is a lock (lock), a program (prog) or a program with a lock (both)", 2 },
	{ "sort", KEY_SORT, "COLUMN", 0, "Order: failures, rate, wait, max, contended or name", 2 },
	{ "waits", KEY_WAITS, NULL, 0,
	  "Show how often and how long locks are waited for, also where nothing fails", 2 },
	{ "color", KEY_COLOR, "WHEN", 0,
	  "Colours on the screen: auto (if the terminal has them and NO_COLOR is not set), always "
	  "or never",
	  1 },
	{ "max-rows", KEY_ROWS, "N", 0,
	  "Keep at most N combinations of program, lock and kind (1000); the failures of others are "
	  "counted without a name",
	  2 },
	{ 0 },
};

static const struct argp_child children[] = { { &trace_opts_argp, 0, NULL, 0 }, { 0 } };

static error_t cmd_top_parse(int key, char *arg, struct argp_state *state)
{
	struct top *t = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->opts;
		t->state.interval = INTERVAL_S;
		t->max_rows = MAX_ROWS;
		return 0;
	case 'b':
		t->batch = true;
		return 0;
	case 'n':
		if (opt_u64(arg, 1, UINT64_MAX, &t->count))
			opts_error(state, "--iterations: '%s' is not a positive number", arg);
		return 0;
	case 'i':
		if (opt_seconds(arg, &t->state.interval))
			opts_error(state, "--interval: '%s' is not a time like 1, 500ms or 2m",
				   arg);
		return 0;
	case KEY_BY:
		if (top_by_parse(arg, &t->state.by))
			opts_error(state, "--by: '%s' is none of lock, prog, both", arg);
		return 0;
	case KEY_SORT:
		if (top_sort_parse(arg, &t->state.sort))
			opts_error(state,
				   "--sort: '%s' is none of failures, rate, wait, max, "
				   "contended, name",
				   arg);
		return 0;
	case KEY_COLOR:
		if (top_color_parse(arg, &t->state.color))
			opts_error(state, "--color: '%s' is none of auto, always, never", arg);
		return 0;
	case KEY_WAITS:
		t->waits = true;
		return 0;
	case KEY_ROWS:
		if (opt_u64(arg, 1, UINT32_MAX, &t->max_rows))
			opts_error(state, "--max-rows: '%s' is not a positive number", arg);
		return 0;
	case ARGP_KEY_ARG:
		opts_error(state, "takes no arguments, but got '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (t->opts.print.json && !t->batch)
			opts_error(state, "--json is for --batch");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_top_parse,
	.children = children,
	.doc = "Watch which locks and programs have failed acquisitions.\v"
	       "On a terminal; 'h' shows the keys: select, sort, filter, freeze, and a row in detail with "
	       "its latest failure. With --batch tables, the last at Ctrl-C. "
	       "The counts are those of 'rqspin stat', since the start. DEADLK counts AA, ABBA, cycles "
	       "and NESTED, TMOUT timeouts. WAIT and MAX, how long failing acquisitions waited, on "
	       "average and at most, appear as soon as the kernel has reported the wait of one. With "
	       "--waits, WAITS counts acquisitions that waited, also if they got the lock, and TOTAL "
	       "is their time.",
};

static void on_failure(const struct failure *f, void *ctx)
{
	struct top *t = ctx;
	size_t series = counts_add(&t->counts, f, t->session);

	if (series != SERIES_NONE)
		latest_set(t->latest, series, f);
}

static char *failure_compose(const struct failure *f, void *ctx)
{
	struct top *t = ctx;

	return print_body(t->session, f, &t->opts.print);
}

static int top_update(struct top *t)
{
	counts_update(&t->counts, t->session);
	latests_compose(t->latest, failure_compose, t);
	if (snapshot_take(&t->snap, &t->counts, t->latest, now_ns()))
		return -ENOMEM;
	return t->contention ? contention_look(t->contention) ?:
			       snapshot_add_waits(&t->snap, t->contention) :
			       0;
}

static bool on_poll(void *ctx)
{
	struct top *t = ctx;

	series_forget_addresses(t->counts.series);
	t->err = t->contention ? contention_look(t->contention) : 0;
	if (t->err)
		return true;
	if (!t->batch && top_screen_keys(&t->snap, &t->state))
		top_screen_draw(&t->snap, &t->state, t->sources);
	return t->state.quit;
}

/* A last screen would be gone before it could be read. */
static int top_show(struct top *t, bool last)
{
	const struct top_state *st = &t->state;

	if (t->batch) {
		t->out_err = top_batch(&t->snap, st->by, st->sort, t->sources, t->opts.print.json);
		return t->out_err;
	}
	if (!last)
		top_screen_draw(&t->snap, &t->state, t->sources);
	return 0;
}

/* The earlier of two times; b is 0 if it never comes. */
static double time_earlier(double a, double b)
{
	return b && b < a ? b : a;
}

static int top_watch(struct top *t)
{
	double over = t->opts.duration ? now_s() + t->opts.duration : 0;
	uint64_t left = t->count ? t->count : UINT64_MAX;
	bool last = false;
	int err = 0;

	while (!err && !last) {
		double due = now_s() + t->state.interval;

		err = trace_opts_follow(t->session, time_earlier(due, over), on_poll, t) ?: t->err;
		if (err)
			return err;
		last = stop_asked() || t->state.quit || !--left || (over && now_s() >= over);
		if (last)
			session_drain(t->session);
		if (last || !t->state.frozen)
			err = top_update(t);
		err = err ?: top_show(t, last);
	}
	return err;
}

static int watch_on_screen(struct top *t)
{
	int err = top_update(t) ?: top_screen_open(t->state.color);

	if (err)
		return err;
	top_screen_draw(&t->snap, &t->state, t->sources);
	err = top_watch(t);
	top_screen_close();
	return err;
}

/* Called before trace_opts_open(), whose message "counting" means that waits are counted, too. */
static int open_waits(struct top *t)
{
	if (!t->waits)
		return 0;
	t->not_seen = waits_missing();
	if (t->not_seen)
		pr_warn("--waits: not seen: %s", t->not_seen);
	return contention_open(&t->contention);
}

static int open_and_watch(struct top *t)
{
	int err = t->batch ? 0 : top_screen_usable();

	err = err ?: open_waits(t);
	err = err ?: trace_opts_open(&t->session, &t->opts, "counting", on_failure, t);
	if (err)
		return err;
	session_sources(t->session, t->sources, sizeof(t->sources));
	err = t->batch ? top_watch(t) : watch_on_screen(t);
	if (err == -ENOMEM)
		pr_err("out of memory");
	else if (t->out_err)
		err = out_failed(t->out_err);
	/* An error of the session is not a usage error: do not return its -EINVAL. */
	err = err ? -EIO : 0;
	if (!err && !t->counts.matched)
		trace_filter_no_match(&t->opts.filter, t->counts.seen);
	session_close(t->session);
	return err;
}

static int cmd_top_run(int argc, char **argv)
{
	struct top t = {};
	const struct losses *uncounted = &t.snap.losses;
	bool lossy;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &t);
	t.counts.filter = &t.opts.filter;
	t.counts.series = series_new(t.max_rows);
	t.latest = latests_new();
	if (t.counts.series && t.latest) {
		err = open_and_watch(&t);
	} else {
		pr_err("out of memory");
		err = -ENOMEM;
	}
	lossy = uncounted->lost || losses_possible(uncounted) || t.snap.waits_dropped || t.not_seen;
	contention_close(t.contention);
	snapshot_free(&t.snap);
	latests_free(t.latest);
	series_free(t.counts.series);
	if (err)
		return cmd_exit_code(err);
	return t.opts.strict && lossy ? EXIT_LOST : EXIT_OK;
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "watch locks and programs with failed acquisitions",
	.argp = &argp,
	.run = cmd_top_run,
};
