/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics in the text formats of Prometheus and OpenMetrics. */
#ifndef RQSPIN_METRICS_EXPOSE_H
#define RQSPIN_METRICS_EXPOSE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

struct series_table;
struct wait_counts;

#define EXPOSE_PROMETHEUS  "text/plain; version=0.0.4; charset=utf-8"
#define EXPOSE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

/**
 * struct metrics - all that is exposed
 * @up: failures are being counted; false in the last text of all
 * @series: failures
 * @waits: waits, NULL if they are not counted
 * @uncounted: failures known to be lost, and in no series
 * @unknown: more failures may be lost
 * @missed: programs that came and went before they could be looked at
 * @unseen: programs that take locks, but whose failures no source reports
 * @blind: mask of enum maplock: locks inside maps in use whose failures no source reports
 * @start_s: since when, in seconds of the epoch
 * @sources: "tracepoint, ring"
 */
struct metrics {
	bool up;
	struct series_table *series;
	const struct wait_counts *waits;
	__u64 uncounted;
	bool unknown;
	__u64 missed, unseen;
	__u32 blind;
	double start_s;
	char sources[128];
};

void expose_metrics(FILE *out, const struct metrics *m, bool openmetrics);

#endif
