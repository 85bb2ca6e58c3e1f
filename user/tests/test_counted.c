// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "events/counted.h"
#include "unit.h"

static void a_name_counts_once(void **state)
{
	struct counted c = { 0 };

	(void)state;
	assert_true(counted_first(&c, "locker"));
	assert_false(counted_first(&c, "locker"));
	assert_true(counted_first(&c, "lock"));
	assert_true(counted_first(&c, "locker2"));
}

static void names_are_cut_as_the_kernel_cuts_them(void **state)
{
	struct counted c = { 0 };

	(void)state;
	assert_true(counted_first(&c, "fifteen_letters_and_more"));
	assert_false(counted_first(&c, "fifteen_letters"));
}

static void what_has_no_name_or_no_place_counts_each_time(void **state)
{
	struct counted c = { 0 };
	char name[COUNTED_NAME];

	(void)state;
	assert_true(counted_first(&c, "") && counted_first(&c, ""));
	for (int i = 0; i < COUNTED_MAX; i++) {
		snprintf(name, sizeof(name), "prog%d", i);
		assert_true(counted_first(&c, name));
	}
	assert_true(counted_first(&c, "late") && counted_first(&c, "late"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_name_counts_once),
	cmocka_unit_test(names_are_cut_as_the_kernel_cuts_them),
	cmocka_unit_test(what_has_no_name_or_no_place_counts_each_time),
};

UNIT_GROUP(counted, tests)
