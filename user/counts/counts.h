/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session's failures and losses as series: what export and top show. */
#ifndef RQSPIN_METRICS_COUNTS_H
#define RQSPIN_METRICS_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "events/losses.h"

struct failure;
struct series_table;
struct session;
struct trace_filter;

/**
 * struct counts - what a session has seen so far
 * @filter: failures that pass it are counted
 * @series: gets the counts
 * @uncounted: failures that are in no series, as of the last counts_update()
 * @most_lost: the most that @uncounted.lost has ever been
 * @seen: failures handed out, also those that the filter holds back
 * @matched: failures passed the filter, or may have
 * @out_of_memory: failures were not counted
 */
struct counts {
	const struct trace_filter *filter;
	struct series_table *series;
	struct losses uncounted;
	__u64 most_lost;
	unsigned long long seen;
	bool matched;
	bool out_of_memory;
};

/* Counts the failure. Returns its series; SERIES_NONE: it is in none. */
size_t counts_add(struct counts *c, const struct failure *f, struct session *s);

/* Ask the session for lost failures, and make the totals. */
void counts_update(struct counts *c, struct session *s);

#endif
