// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <string.h>

#include "base/duration.h"
#include "output/run_report.h"
#include "unit.h"

static void durations_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} cases[] = { { 0, "0 ns" },
		      { 7, "7 ns" },
		      { 999, "999 ns" },
		      { 1000, "1.00 us" },
		      { 15500, "15.5 us" },
		      { 999400, "999 us" },
		      { 999600, "1.00 ms" },
		      { 1640000, "1.64 ms" },
		      { 250000000, "250 ms" },
		      { 1000000000, "1.00 s" },
		      { 3600000000000, "3600 s" } };
	char buf[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(format_ns(cases[i].ns, buf), cases[i].want);
}

static void json_has_the_documented_shape(void **state)
{
	static struct role_result results[2] = { { .counts = { 1, 2, 3, 4 } },
						 { .counts = { 10, 20, 30, 40 } } };
	struct role roles[2] = { { .prog = "a", .cpu = 0, .rounds = 10 },
				 { .prog = "b", .cpu = 3, .rounds = 100 } };
	struct drive d = { .roles = roles, .nr_roles = 2, .elapsed = 1.5 };
	struct report rep = {
		.name = "x", .object = "x.bpf.o", .drive = &d, .results = results, .judged = true
	};
	json_t *o, *total, *role;
	const char *schema;
	int acquired, failed, edeadlk, cpu, expected;

	(void)state;
	hist_add(&results[1].fail, 5);
	o = report_json(&rep);
	assert_non_null(o);
	assert_int_equal(json_unpack(o, "{s:s, s:b, s:o}", "schema", &schema, "as_expected",
				     &expected, "total", &total),
			 0);
	assert_string_equal(schema, "rqspin-run/1");
	assert_true(expected);
	assert_int_equal(json_unpack(total, "{s:i, s:i, s:{s:i}}", "acquired", &acquired, "failed",
				     &failed, "failures", "EDEADLK", &edeadlk),
			 0);
	assert_int_equal(acquired, 11);
	assert_int_equal(failed, 99);
	assert_int_equal(edeadlk, 22);
	role = json_array_get(json_object_get(o, "roles"), 1);
	assert_int_equal(json_unpack(role, "{s:i}", "cpu", &cpu), 0);
	assert_int_equal(cpu, 3);
	assert_true(json_is_null(json_object_get(json_object_get(role, "latency_ns"), "acquired")));
	assert_int_equal(
		json_integer_value(json_object_get(
			json_object_get(json_object_get(role, "latency_ns"), "failed"), "p99")),
		5);
	json_decref(o);
	rep.judged = false;
	o = report_json(&rep);
	assert_true(json_is_null(json_object_get(o, "as_expected")));
	json_decref(o);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(durations_have_three_digits),
	cmocka_unit_test(json_has_the_documented_shape),
};

UNIT_GROUP(report, tests)
