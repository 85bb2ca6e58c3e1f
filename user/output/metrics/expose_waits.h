/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_METRICS_EXPOSE_WAITS_H
#define RQSPIN_METRICS_EXPOSE_WAITS_H

#include <stdbool.h>
#include <stdio.h>

struct wait_counts;
struct wait_histograms;

/* Waits for locks: all metrics. */
void expose_waits(FILE *out, const struct wait_counts *c, bool openmetrics);

/* The histograms alone. */
void expose_wait_series(FILE *out, const struct wait_histograms *t, bool openmetrics);

#endif
