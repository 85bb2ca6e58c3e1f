// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/results.h"
#include "unit.h"

/* A sample has counters for 256 CPUs. */
static void counters_of_far_cpus_are_shared(void **state)
{
	static const struct {
		int cpus[3];
		bool shared;
	} cases[] = {
		{ { 0, 1, 2 }, false },	   { { 0, 1, 0 }, true },    { { 0, 256, 1 }, true },
		{ { 511, 3, 255 }, true }, { { 0, 257, 2 }, false }, { { 1023, 256, 1 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct role roles[3] = { 0 };
		struct drive d = { .roles = roles, .nr_roles = 3 };

		for (int n = 0; n < 3; n++)
			roles[n].cpu = cases[i].cpus[n];
		assert_int_equal(results_shared(&d), cases[i].shared);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counters_of_far_cpus_are_shared),
};

UNIT_GROUP(results, tests)
