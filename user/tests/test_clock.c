// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <time.h>

#include "base/clock.h"
#include "unit.h"

static void offsets_are_read(void **state)
{
	(void)state;
	assert_true(clock_offset("monotonic     1000000         5", "monotonic") ==
		    1000000000000005LL);
	assert_true(clock_offset("boottime  -3  500000000\n", "boottime") == -2500000000LL);
	assert_true(clock_offset("boottime  -3  500000000\n", "monotonic") == 0);
	assert_true(clock_offset("", "monotonic") == 0);
}

static void the_clocks_go_on(void **state)
{
	__u64 before = now_ns(), boot = now_boot_ns();
	struct timespec ts;
	double local;

	(void)state;
	assert_true(now_ns() >= before && now_boot_ns() >= boot && boot >= before);
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
	local = ts.tv_sec + ts.tv_nsec / 1e9;
	assert_true(before / 1e9 + clock_ahead_s() <= local);
	assert_true(now_s() + clock_ahead_s() >= local);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(offsets_are_read),
	cmocka_unit_test(the_clocks_go_on),
};

UNIT_GROUP(clock, tests)
