// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "cmd.h"
#include "log.h"
#include "opts.h"
#include "probe.h"
#include "stop.h"
#include "trace_opts.h"

#define POLL_MS 10

enum { KEY_NO_ADDR = 0x3000, KEY_SOURCE };

static const struct argp_option options[] = {
	{ "no-addr", KEY_NO_ADDR, NULL, 0, "Show no kernel addresses", 3 },
	{ "source", KEY_SOURCE, "LIST", 0,
	  "Use exactly these sources: tracepoint, ring, trampoline, stream, mapops, contention",
	  4 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &trace_filter_argp, 0, NULL, 0 },
	{ &opts_common, 0, NULL, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trace_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->print.json;
		return 0;
	case KEY_NO_ADDR:
		o->print.no_addr = true;
		return 0;
	case KEY_SOURCE:
		o->sources = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp trace_opts_argp = { .options = options, .parser = parse, .children = children };

struct session *trace_opts_open(const struct trace_opts *opts, const char *doing, failure_fn emit,
				void *ctx, int *exit_code)
{
	struct session *s;
	char names[128];

	*exit_code = probe_allowed() ? EXIT_FAIL : EXIT_UNSUPPORTED;
	if (*exit_code != EXIT_FAIL || !trace_filter_valid(&opts->filter))
		return NULL;
	stop_init();
	s = session_open(opts->sources, &opts->filter, emit, ctx);
	if (!s) {
		*exit_code = errno == EINVAL ? EXIT_USAGE : EXIT_UNSUPPORTED;
		return NULL;
	}
	session_sources(s, names, sizeof(names));
	pr_info("%s failed acquisitions; sources: %s", doing, names);
	if (session_needs_reports(s) && !session_blind(s))
		pr_info("programs that do not include res_events.bpf.h are NOT seen with these "
			"sources ('rqspin doctor' says which others work)");
	trace_filter_warn(&opts->filter, session_progs(s));
	*exit_code = EXIT_OK;
	return s;
}

int trace_opts_follow(struct session *s, double end, bool (*done)(const void *ctx), const void *ctx)
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
