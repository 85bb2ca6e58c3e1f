// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "output/page/timeline.h"
#include "unit.h"

#define MOST 100

static void moment_add(struct timeline *t, unsigned int us, const char *kind)
{
	char time[64];

	snprintf(time, sizeof(time), "2026-11-21T12:%02u:%02u.%06uZ", us / 60000000,
		 us / 1000000 % 60, us % 1000000);
	assert_int_equal(timeline_add(t, time, kind), 0);
}

static json_int_t bins_sum(const json_t *bins, const char *kind)
{
	json_int_t nr = 0;

	for (size_t i = 0; i < json_array_size(bins); i++)
		nr += json_integer_value(json_object_get(json_array_get(bins, i), kind));
	return nr;
}

/* None is lost, and none moves further than a bar is wide. */
static void any_number_needs_some_memory(void **state)
{
	struct timeline all = { 0 }, few = { .most = MOST };
	json_t *a, *f;

	(void)state;
	for (unsigned int i = 0; i < 20 * MOST; i++) {
		moment_add(&all, i * 997 % 1999 * 10000, i % 3 ? "AA" : "ABBA");
		moment_add(&few, i * 997 % 1999 * 10000, i % 3 ? "AA" : "ABBA");
		assert_true(few.nr <= MOST);
	}
	a = timeline_json(&all);
	f = timeline_json(&few);
	for (int i = 0; i < 3; i++) {
		static const char *const ends[] = { "start_us", "end_us", "width_us" };

		assert_int_equal(json_integer_value(json_object_get(f, ends[i])),
				 json_integer_value(json_object_get(a, ends[i])));
	}
	assert_int_equal(bins_sum(json_object_get(f, "bins"), "AA"), 20 * MOST * 2 / 3);
	assert_int_equal(bins_sum(json_object_get(f, "bins"), "ABBA"), 20 * MOST / 3 + 1);
	json_decref(a);
	json_decref(f);
	timeline_free(&all);
	timeline_free(&few);
}

static void at_one_time(void **state)
{
	struct timeline few = { .most = MOST };
	json_t *f;

	(void)state;
	for (int i = 0; i < 1000; i++)
		moment_add(&few, 5, "AA");
	assert_true(few.nr < MOST);
	f = timeline_json(&few);
	assert_int_equal(bins_sum(json_object_get(f, "bins"), "AA"), 1000);
	json_decref(f);
	timeline_free(&few);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(any_number_needs_some_memory),
	cmocka_unit_test(at_one_time),
};

UNIT_GROUP(timeline, tests)
