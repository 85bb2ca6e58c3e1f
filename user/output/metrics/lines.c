// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>

#include "base/json_out.h"
#include "output/metrics/lines.h"

/* OpenMetrics names the family of a counter without _total. */
void metric_head(FILE *out, bool openmetrics, const char *name, enum metric_type type,
		 const char *help)
{
	static const char *const types[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram"
	};
	const char *total = type == COUNTER && !openmetrics ? "_total" : "";

	fprintf(out, "# HELP %s%s %s\n", name, total, help);
	fprintf(out, "# TYPE %s%s %s\n", name, total, types[type]);
}

/* One invalid byte would make Prometheus refuse everything. */
void metric_label(FILE *out, const char *name, const char *value)
{
	json_t *text = json_text(value);
	const char *c = json_string_value(text);

	fprintf(out, "%s=\"", name);
	for (; c && *c; c++) {
		if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else
			putc(*c, out);
	}
	putc('"', out);
	json_decref(text);
}

void metric_number(FILE *out, bool openmetrics, const char *name, enum metric_type type,
		   const char *help, __u64 value)
{
	metric_head(out, openmetrics, name, type, help);
	fprintf(out, "%s%s %llu\n", name, type == COUNTER ? "_total" : "", value);
}
