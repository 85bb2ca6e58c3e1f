/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for locks, also those that end well, as series: export --waits. */
#ifndef RQSPIN_METRICS_WAIT_COUNTS_H
#define RQSPIN_METRICS_WAIT_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "waits/missing.h"

struct session;
struct trace_filter;
struct wait_counts;
struct wait_histograms;
struct wait_scope;

/*
 * @max: as for wait_series_new(). @elements: locks of elements of one map are counted separately.
 * @filter: its programs, locks and maps are counted. @scope: its cgroups are counted. Both live as
 * long as the counts. Returns 0, or -errno after printing why.
 */
int wait_counts_open(struct wait_counts **counts, const struct trace_filter *filter,
		     const struct wait_scope *scope, size_t max, bool elements);
void wait_counts_close(struct wait_counts *c);

/*
 * Call it often: it counts now and then, and before there is no room left in the kernel's tables.
 * The names are those of the session. False: out of memory, some waits were not counted.
 */
bool wait_counts_poll(struct wait_counts *c, struct session *s);
/* Count all waits up to now, for a reader of the series. */
bool wait_counts_update(struct wait_counts *c, struct session *s);
/* Stop counting, and count the rest. False also if the rest could not be read. */
bool wait_counts_finish(struct wait_counts *c, struct session *s);

/*
 * CPUs that were found waiting, by lock, in *samples samples. NULL: none are taken, because the
 * kernel reports all waits, or hides its tables of held locks, or a program or cgroup is asked for.
 */
const struct wait_histograms *wait_counts_sampled(const struct wait_counts *c, __u64 *samples);

const struct wait_histograms *wait_counts_series(const struct wait_counts *c);
__u64 wait_counts_dropped(const struct wait_counts *c); /* waits in no series */
enum waits_missing wait_counts_missing(const struct wait_counts *c);

#endif
