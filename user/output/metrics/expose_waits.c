// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "output/metrics/expose_waits.h"
#include "output/metrics/lines.h"
#include "counts/wait_counts.h"
#include "counts/wait_series.h"

#define NS	   1000000000ULL
#define EDGE_FIRST 8  /* 2^8 ns: the least time of a hand-over */
#define EDGE_LAST  30 /* 2^30 ns: no time limit of the lock is longer */
#define EDGE_STEP  2  /* 12 of them, each four times the one before */

static void series_labels(FILE *out, const struct wait_series *s)
{
	metric_label(out, "program", s->prog);
	putc(',', out);
	metric_label(out, "lock", s->lock);
	if (*s->cgroup) {
		putc(',', out);
		metric_label(out, "cgroup", s->cgroup);
	}
}

static void series_sample(FILE *out, const char *name, const struct wait_series *s)
{
	fprintf(out, "%s{", name);
	series_labels(out, s);
	fputs("} ", out);
}

/* Exact, also after years: no floating point. */
static void series_seconds(FILE *out, const char *name, const struct wait_series *s, __u64 ns)
{
	series_sample(out, name, s);
	fprintf(out, "%llu.%09llu\n", ns / NS, ns % NS);
}

static void series_bucket(FILE *out, const struct wait_series *s, const char *le, __u64 count)
{
	fputs("rqspin_lock_wait_seconds_bucket{", out);
	series_labels(out, s);
	fprintf(out, ",le=\"%s\"} %llu\n", le, count);
}

/* Cumulative: each bucket includes the shorter ones. */
static void series_histogram(FILE *out, const struct wait_series *s)
{
	__u64 below = 0;
	char le[32];

	for (int b = 0, edge = EDGE_FIRST; edge <= EDGE_LAST; edge += EDGE_STEP) {
		for (; b < edge; b++)
			below += s->sum.hist[b];
		snprintf(le, sizeof(le), "%.10g", (1ULL << edge) / (double)NS);
		series_bucket(out, s, le, below);
	}
	series_bucket(out, s, "+Inf", s->sum.count);
	series_seconds(out, "rqspin_lock_wait_seconds_sum", s, s->sum.total_ns);
	series_sample(out, "rqspin_lock_wait_seconds_count", s);
	fprintf(out, "%llu\n", s->sum.count);
}

void expose_wait_series(FILE *out, const struct wait_histograms *t, bool om)
{
	metric_head(out, om, "rqspin_lock_wait_seconds", HISTOGRAM,
		    "Waits for locks, also those that ended well, by how long they took.");
	for (size_t i = 0; i < wait_series_nr(t); i++)
		series_histogram(out, wait_series_at(t, i));
	metric_head(out, om, "rqspin_lock_longest_wait_seconds", GAUGE,
		    "The longest wait for the lock since the start.");
	for (size_t i = 0; i < wait_series_nr(t); i++) {
		const struct wait_series *s = wait_series_at(t, i);

		series_seconds(out, "rqspin_lock_longest_wait_seconds", s, s->sum.max_ns);
	}
	metric_number(out, om, "rqspin_other_waits", COUNTER,
		      "Waits in the histogram without any names, for want of room.",
		      wait_series_others(t));
	metric_number(out, om, "rqspin_wait_series_limit_reached", GAUGE,
		      "1: there were more than --max-wait-series, the others are one histogram.",
		      wait_series_full(t));
}

static void missing_waits(FILE *out, const struct wait_counts *c, bool om)
{
	const char *which = waits_missing_word(wait_counts_missing(c));

	metric_head(out, om, "rqspin_unseen_waits", GAUGE,
		    "Which waits this kernel does not tell of, in no histogram.");
	if (!which)
		return;
	fputs("rqspin_unseen_waits{", out);
	metric_label(out, "which", which);
	fputs("} 1\n", out);
}

static void sampled_waits(FILE *out, const struct wait_counts *c, bool om)
{
	__u64 samples;
	const struct wait_histograms *t = wait_counts_sampled(c, &samples);

	metric_head(out, om, "rqspin_sampled_waiters", COUNTER,
		    "CPUs found waiting for the lock, added up over all samples.");
	for (size_t i = 0; t && i < wait_series_nr(t); i++) {
		const struct wait_series *s = wait_series_at(t, i);

		fputs("rqspin_sampled_waiters_total{", out);
		metric_label(out, "lock", s->lock);
		fprintf(out, "} %llu\n", s->sum.count);
	}
	metric_number(out, om, "rqspin_wait_samples", COUNTER,
		      "Looks at the tables of held locks; 0: this kernel needs or has none.",
		      samples);
}

void expose_waits(FILE *out, const struct wait_counts *c, bool openmetrics)
{
	expose_wait_series(out, wait_counts_series(c), openmetrics);
	metric_number(out, openmetrics, "rqspin_dropped_waits", COUNTER,
		      "Waits known to be in no histogram.", wait_counts_dropped(c));
	missing_waits(out, c, openmetrics);
	sampled_waits(out, c, openmetrics);
}
