/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trace and stat share: options, and the session they follow. */
#ifndef RQSPIN_TRACE_OPTS_H
#define RQSPIN_TRACE_OPTS_H

#include <argp.h>
#include <stdbool.h>

#include "trace.h"
#include "trace_filter.h"
#include "trace_print.h"

struct trace_opts {
	struct trace_filter filter;
	struct print_opts print;
	const char *sources; /* NULL: what works here */
};

/* Child parser for all of the above and --verbose; its input is a struct trace_opts. */
extern const struct argp trace_opts_argp;

/* Says what it does ("tracing"). NULL: it has said why, and *exit_code is the command's. */
struct session *trace_opts_open(const struct trace_opts *opts, const char *doing, failure_fn emit,
				void *ctx, int *exit_code);

/* Collect until that time (now_s(); 0: for ever), Ctrl-C, or until done(ctx) if not NULL. */
int trace_opts_follow(struct session *s, double end, bool (*done)(const void *ctx),
		      const void *ctx);

#endif
