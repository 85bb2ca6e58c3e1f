// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "output/screen/size.h"
#include "unit.h"

static void a_size_is_made_fit(void **state)
{
	(void)state;
	assert_int_equal(size_within(24, 25, SIZE_LINES_MAX), 24);
	assert_int_equal(size_within(1, 25, SIZE_LINES_MAX), 1);
	assert_int_equal(size_within(0, 25, SIZE_LINES_MAX), 25);
	assert_int_equal(size_within(-1, 25, SIZE_LINES_MAX), 25);
	assert_int_equal(size_within(65535, 25, SIZE_LINES_MAX), SIZE_LINES_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_size_is_made_fit),
};

UNIT_GROUP(size, tests)
