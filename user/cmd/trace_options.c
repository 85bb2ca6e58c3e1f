// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../kernel/maplocks.h"
#include "../kernel/probe.h"
#include "../events/sources/table.h"
#include "../base/stop.h"
#include "trace_options.h"

enum { KEY_NO_ADDR = 0x3000, KEY_SOURCE, KEY_BUFFER, KEY_STRICT };

static const struct argp_option options[] = {
	{ "duration", 'd', "TIME", 0, "Stop after this time (seconds, or with ms, s, m, h)", 2 },
	{ "source", KEY_SOURCE, "LIST", 0, "Use exactly these sources: ", 4 },
	{ "buffer", KEY_BUFFER, "SIZE", 0,
	  "Memory per CPU for unread failures (64K to 1G; default 8M, for 16384 failures)", 4 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "Exit with 4 if failures (of --last: or waits) were, or may have been, lost", 5 },
	{ 0 },
};

static const struct argp_option print_options[] = {
	{ "no-addr", KEY_NO_ADDR, NULL, 0, "Show no kernel addresses", 3 },
	{ 0 },
};

static error_t trace_opts_parse(int key, char *arg, struct argp_state *state)
{
	struct trace_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		o->tuning.buffer = SESSION_BUFFER;
		return 0;
	case 'd':
		if (opt_seconds(arg, &o->duration))
			opts_error(state, "--duration: '%s' is not a time like 10, 500ms or 2m",
				   arg);
		return 0;
	case KEY_STRICT:
		o->strict = true;
		return 0;
	case KEY_SOURCE:
		o->sources = arg;
		return 0;
	case KEY_BUFFER:
		if (opt_size(arg, SESSION_BUFFER_MIN, SESSION_BUFFER_MAX, &o->tuning.buffer))
			opts_error(state, "--buffer: '%s' is not a size from 64K to 1G", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_print(int key, char *arg, struct argp_state *state)
{
	struct trace_opts *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		state->child_inputs[1] = &o->print.json;
		return 0;
	case KEY_NO_ADDR:
		o->print.no_addr = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static char *trace_opts_help(int key, const char *text, void *input)
{
	char *all = NULL;
	size_t size;
	FILE *out;

	(void)input;
	out = key == KEY_SOURCE ? open_memstream(&all, &size) : NULL;
	if (!out)
		return (char *)text;
	fputs(text, out);
	for (size_t i = 0; source_name(i); i++)
		fprintf(out, "%s%s", i ? ", " : "", source_name(i));
	fclose(out);
	return all;
}

static const struct argp_child filter[] = { { &trace_filter_argp, 0, NULL, 0 }, { 0 } };

const struct argp collect_opts_argp = { .options = options,
					.parser = trace_opts_parse,
					.children = filter,
					.help_filter = trace_opts_help };

static const struct argp_child children[] = {
	{ &collect_opts_argp, 0, NULL, 0 },
	{ &opts_common, 0, NULL, 0 },
	{ 0 },
};

const struct argp trace_opts_argp = { .options = print_options,
				      .parser = parse_print,
				      .children = children };

static void say_blind_locks(const struct session *s)
{
	char types[160];

	maplocks_types(session_blind_locks(s), types, sizeof(types));
	if (*types)
		pr_info("with these sources NOT all failed locks inside maps of these types are seen: %s",
			types);
}

int trace_opts_open(struct session **session, const struct trace_opts *opts, const char *doing,
		    failure_fn emit, void *ctx)
{
	struct session *s;
	char names[128];

	if (!probe_allowed())
		return -EOPNOTSUPP;
	/* A recording may be of programs and processes that are gone. */
	if (!opts->tuning.pinned && !trace_filter_valid(&opts->filter))
		return -ENOENT;
	stop_init();
	s = session_open(trace_sources, opts->sources, &opts->filter, &opts->tuning, emit, ctx);
	if (!s)
		return -errno;
	session_sources(s, names, sizeof(names));
	pr_info("%s failed acquisitions%s; sources: %s", doing,
		opts->tuning.waits ? " and long waits" : "", names);
	say_blind_locks(s);
	if (session_needs_reports(s) && !session_blind(s))
		pr_info("failures that a program does not report with res_events.bpf.h are NOT "
			"seen with these sources ('rqspin doctor' says why the others do not work)");
	if (!opts->tuning.pinned)
		trace_filter_warn(&opts->filter, session_progs(s));
	*session = s;
	return 0;
}

int trace_opts_follow(struct session *s, double end, bool (*done)(void *ctx), void *ctx)
{
	while (!stop_asked() && (!end || now_s() < end) && !(done && done(ctx))) {
		int err = session_poll(s, POLL_MS);

		if (err) {
			pr_err("waiting for events: %s", strerror(-err));
			return err;
		}
	}
	return 0;
}
