// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures of outcomes. */
#include <stdio.h>

#include "detect.h"

static json_t *quantile_json(struct lab_samples *s, double part)
{
	return s->n ? json_real(lab_quantile(s, part)) : json_null();
}

static json_t *recovery_json(struct outcome *o)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "anybody_p50_ns", quantile_json(&o->anybody, 0.5),
			 "anybody_p99_ns", quantile_json(&o->anybody, 0.99), "again_p50_ns",
			 quantile_json(&o->again, 0.5), "again_p99_ns",
			 quantile_json(&o->again, 0.99));
}

json_t *outcome_json(const char *lock, const char *scenario, struct outcome *o)
{
	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"lock", lock, "scenario", scenario, "rounds", (json_int_t)o->rounds, "victims",
		(json_int_t)o->victims, "one_victim", (json_int_t)o->single, "timeouts",
		(json_int_t)o->timeouts, "wrong_kind", (json_int_t)o->wrong_kind, "bystanders",
		(json_int_t)o->bystanders, "bystander_errors", (json_int_t)o->bystander_errors,
		"disturbed", (json_int_t)o->disturbed, "stuck", (json_int_t)o->stuck, "p50_ns",
		quantile_json(&o->latency, 0.5), "p99_ns", quantile_json(&o->latency, 0.99),
		"max_ns", quantile_json(&o->latency, 1), "recovery", recovery_json(o));
}

static double recovery_us(const json_t *row, const char *figure)
{
	return json_number_value(json_object_get(json_object_get(row, "recovery"), figure)) / 1e3;
}

static const char *row_text(const json_t *row, const char *member)
{
	return json_string_value(json_object_get(row, member));
}

void print_recovery(const json_t *report)
{
	size_t i;
	json_t *row;

	printf("\nFirst error to the next acquisition of that lock, us: by anybody, and by the one "
	       "that failed\n");
	printf("%-17s %-22s %12s %12s %12s %12s\n", "lock", "scenario", "anybody p50", "p99",
	       "again p50", "p99");
	json_array_foreach(report, i, row) {
		if (json_is_null(json_object_get(json_object_get(row, "recovery"), "again_p50_ns")))
			continue;
		printf("%-17s %-22s %12.3f %12.3f %12.3f %12.3f\n", row_text(row, "lock"),
		       row_text(row, "scenario"), recovery_us(row, "anybody_p50_ns"),
		       recovery_us(row, "anybody_p99_ns"), recovery_us(row, "again_p50_ns"),
		       recovery_us(row, "again_p99_ns"));
	}
}
