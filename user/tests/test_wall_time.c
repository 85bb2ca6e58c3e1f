// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <time.h>

#include "output/wall_time.h"
#include "unit.h"

#define NS	   1000000000LL
#define EVENT	   (40 * NS + 999)
#define WALL_AHEAD (1700000000 * NS)

/* Both clocks, if a test has set them. Each look at one takes `took`. */
static struct {
	bool set;
	long long mono, ahead, took, late;
} fake;

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	long long now;

	if (!fake.set)
		return __real_clock_gettime(clock, ts);
	/* The thread loses its CPU before the wall clock, once. */
	if (clock == CLOCK_REALTIME) {
		fake.mono += fake.late;
		fake.late = 0;
	}
	fake.mono += fake.took;
	now = fake.mono + (clock == CLOCK_REALTIME ? fake.ahead : 0);
	*ts = (struct timespec){ now / NS, now % NS };
	return 0;
}

static int set_clocks(void **state)
{
	(void)state;
	fake.set = true;
	fake.mono = 50 * NS;
	fake.ahead = WALL_AHEAD;
	fake.took = 30;
	return 0;
}

static int reset_clocks(void **state)
{
	(void)state;
	fake.set = false;
	return 0;
}

/* A nanosecond later the last digit is another one. */
static void assert_at(const char *want)
{
	char is[40];

	wall_time(EVENT, true, is);
	assert_string_equal(is, want);
}

static void an_event_has_one_time(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		fake.took = i % 7 * 10;
		assert_at("2023-11-14T22:14:00.000000Z");
	}
}

static void a_late_look_moves_nothing(void **state)
{
	(void)state;
	fake.late = 5000000;
	assert_at("2023-11-14T22:14:00.000000Z");
}

static void a_clock_that_is_set_is_followed(void **state)
{
	(void)state;
	assert_at("2023-11-14T22:14:00.000000Z");
	fake.ahead += 3600 * NS;
	fake.late = 5000000;
	assert_at("2023-11-14T23:14:00.000000Z");
	fake.ahead -= 3600 * NS;
	assert_at("2023-11-14T22:14:00.000000Z");
}

#define with_clocks(test) cmocka_unit_test_setup_teardown(test, set_clocks, reset_clocks)

static const struct CMUnitTest tests[] = {
	with_clocks(an_event_has_one_time),
	with_clocks(a_late_look_moves_nothing),
	with_clocks(a_clock_that_is_set_is_followed),
};

UNIT_GROUP(wall_time, tests)
