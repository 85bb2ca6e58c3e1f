// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "kernel/maplocks.h"
#include "output/metrics/expose.h"
#include "output/metrics/expose_waits.h"
#include "output/metrics/lines.h"
#include "counts/series.h"
#include "events/failure.h"
#include "base/version.h"

static void expose_failures(FILE *out, const struct metrics *m, bool openmetrics)
{
	metric_head(out, openmetrics, "rqspin_lock_failures", COUNTER,
		    "Failed lock acquisitions. Empty labels: unknown, or beyond --max-series.");
	for (size_t i = 0; i < series_nr(m->series); i++) {
		const struct series *s = series_at(m->series, i);

		fputs("rqspin_lock_failures_total{", out);
		metric_label(out, "program", s->prog);
		putc(',', out);
		metric_label(out, "lock", s->lock);
		putc(',', out);
		metric_label(out, "kind", kind_name(s->kind));
		fprintf(out, "} %llu\n", s->total);
	}
}

static void expose_sources(FILE *out, const struct metrics *m, bool openmetrics)
{
	char names[sizeof(m->sources)], *rest = names, *name;

	memcpy(names, m->sources, sizeof(names));
	metric_head(out, openmetrics, "rqspin_source_info", GAUGE,
		    "Sources of failures that are in use ('rqspin doctor' explains them).");
	while ((name = strsep(&rest, ", ")))
		if (*name)
			fprintf(out, "rqspin_source_info{source=\"%s\"} 1\n", name);
}

static void blind_types(FILE *out, const struct metrics *m, bool om)
{
	char types[160], *rest = types, *type;

	maplocks_types(m->blind, types, sizeof(types));
	metric_head(out, om, "rqspin_unseen_map_types", GAUGE,
		    "Map types in use whose own locks may fail, and no source in use sees it.");
	while ((type = strsep(&rest, ", ")))
		if (*type)
			fprintf(out, "rqspin_unseen_map_types{type=\"%s\"} 1\n", type);
}

static void expose_losses(FILE *out, const struct metrics *m, bool om)
{
	metric_number(out, om, "rqspin_lost_failures", COUNTER,
		      "Failures known to be lost: in no series of rqspin_lock_failures.",
		      m->uncounted);
	metric_number(out, om, "rqspin_losses_unknown", GAUGE,
		      "1: failures may have been lost that nobody counted.", m->unknown);
	metric_number(out, om, "rqspin_missed_programs", COUNTER,
		      "Programs that came and went before they could be examined.", m->missed);
	metric_number(out, om, "rqspin_unseen_programs", COUNTER,
		      "Programs that take locks, and whose failures no source in use sees.",
		      m->unseen);
	blind_types(out, m, om);
	metric_number(
		out, om, "rqspin_series_limit_reached", GAUGE,
		"1: there were more than --max-series, the others have neither program nor lock.",
		series_full(m->series));
}

void expose_metrics(FILE *out, const struct metrics *m, bool openmetrics)
{
	expose_failures(out, m, openmetrics);
	expose_losses(out, m, openmetrics);
	if (m->waits)
		expose_waits(out, m->waits, openmetrics);
	metric_number(out, openmetrics, "rqspin_up", GAUGE, "1: failures are being counted.",
		      m->up);
	metric_head(out, openmetrics, "rqspin_start_time_seconds", GAUGE,
		    "Since when failures are counted, in seconds since 1970.");
	fprintf(out, "rqspin_start_time_seconds %.3f\n", m->start_s);
	expose_sources(out, m, openmetrics);
	metric_head(out, openmetrics, "rqspin_build_info", GAUGE, "The version of rqspin.");
	fprintf(out, "rqspin_build_info{version=\"%s\"} 1\n", RQSPIN_VERSION);
	if (openmetrics)
		fputs("# EOF\n", out);
}
