/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of lines in the text formats of Prometheus and OpenMetrics. */
#ifndef RQSPIN_METRICS_LINES_H
#define RQSPIN_METRICS_LINES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

enum metric_type { COUNTER, GAUGE, HISTOGRAM };

/* The two lines before the samples of a metric. @name: without _total. */
void metric_head(FILE *out, bool openmetrics, const char *name, enum metric_type type,
		 const char *help);

/* name="value" */
void metric_label(FILE *out, const char *name, const char *value);

/* A metric with one sample. */
void metric_number(FILE *out, bool openmetrics, const char *name, enum metric_type type,
		   const char *help, __u64 value);

#endif
