// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "events/failure.h"
#include "events/filter.h"
#include "unit.h"

/* A map operation says its map; the lock of it that failed may have no name. */
static void a_map_is_known_without_its_locks_name(void **state)
{
	struct failure no_lock = { .map_id = 7 }, no_name = { .ev.lock = 0x1000, .map_id = 7 };
	struct trace_filter flt = { .map = "7" };

	(void)state;
	assert_true(trace_filter_match(&flt, &no_lock, NULL));
	assert_true(trace_filter_match(&flt, &no_name, NULL));
	flt.lock = "0x1000";
	assert_false(trace_filter_match(&flt, &no_lock, NULL));
	assert_true(trace_filter_match(&flt, &no_name, NULL));
	flt.map = "8";
	assert_false(trace_filter_match(&flt, &no_name, NULL));
	flt.map = "name";
	assert_false(trace_filter_match(&flt, &no_name, NULL));
}

static void a_wait_is_of_no_kind(void **state)
{
	struct failure failed = { .ev.kind = RQSPIN_UNKNOWN };
	struct failure wait = { .ev.kind = RQSPIN_UNKNOWN, .ev.cpu = 3, .waited = true };
	struct trace_filter flt = { .kinds = 1U << RQSPIN_UNKNOWN };

	(void)state;
	assert_true(trace_filter_match(&flt, &failed, NULL));
	assert_false(trace_filter_match(&flt, &wait, NULL));
	flt = (struct trace_filter){ .cpus = { 3 }, .nr_cpus = 1 };
	assert_false(trace_filter_match(&flt, &failed, NULL));
	assert_true(trace_filter_match(&flt, &wait, NULL));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_is_of_no_kind),
	cmocka_unit_test(a_map_is_known_without_its_locks_name),
};

UNIT_GROUP(filter, tests)
