/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One failure as a line of text or of JSON (docs/events.schema.json). */
#ifndef RQSPIN_TRACE_PRINT_H
#define RQSPIN_TRACE_PRINT_H

#include <stdbool.h>

#include "trace.h"

struct print_opts {
	bool json;
	bool stacks;
	bool no_addr;
	bool stamp; /* each table with its time */
};

struct trace_totals {
	unsigned long long events; /* handed out by the sources */
	unsigned long long shown;  /* of them, passed the filters */
	struct losses losses;
	unsigned long long by_kind[8];
};

/* Both write one whole record and flush; 0 or negative errno of the output. */
int print_failure(struct session *s, const struct failure *f, const struct print_opts *opts);
int print_summary(struct session *s, const struct trace_totals *t, const struct print_opts *opts);

/* In trace_json.c. */
int json_failure(struct session *s, const struct failure *f, const struct print_opts *opts);
int json_summary(struct session *s, const struct trace_totals *t);

/* CLOCK_MONOTONIC nanoseconds as UTC "2026-11-21T12:00:00.123456Z", or local "12:00:00.123456". */
void wall_time(unsigned long long ns, bool iso, char buf[40]);

#endif
