/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trace, stat and export share: options, and the session they follow. */
#ifndef RQSPIN_TRACE_OPTIONS_H
#define RQSPIN_TRACE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "../events/session.h"
#include "../events/filter.h"
#include "../output/print_opts.h"

#define POLL_MS 10 /* for session_poll() */

struct trace_opts {
	struct trace_filter filter;
	struct print_opts print;
	const char *sources; /* NULL: what works here */
	struct session_tuning tuning;
	double duration; /* 0: until stopped */
	bool strict;	 /* the verb fails if events were lost, or may have been */
};

/* Child parser for all of the above and --verbose; its input is a struct trace_opts. */
extern const struct argp trace_opts_argp;

/* The same without the options for printing: --no-addr, --json, --verbose. */
extern const struct argp collect_opts_argp;

/*
 * Opens the session and prints what the verb does: @doing is "tracing". Returns 0, or -errno after
 * printing why: -EINVAL if the options are wrong, -EOPNOTSUPP if this kernel or user cannot do it.
 */
int trace_opts_open(struct session **session, const struct trace_opts *opts, const char *doing,
		    failure_fn emit, void *ctx);

/* Collect until @end (now_s(); 0: for ever), Ctrl-C, or until done(ctx) if not NULL. */
int trace_opts_follow(struct session *s, double end, bool (*done)(void *ctx), void *ctx);

#endif
