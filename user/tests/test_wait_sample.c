// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/types.h>

#include "unit.h"
#include "waits/sample.h"

#define LOCK  0x1000
#define OTHER 0x2000
#define NR(a) (sizeof(a) / sizeof((a)[0]))

static void one_who_has_it_is_no_waiter(void **state)
{
	struct wait_attempt cpus[] = { { LOCK, 1 }, { 0, 0 }, { OTHER, 2 } };

	(void)state;
	assert_int_equal(wait_sample_waiters(cpus, NR(cpus), LOCK, false), 0);
}

static void of_several_one_has_it(void **state)
{
	struct wait_attempt cpus[] = { { LOCK, 1 }, { LOCK, 3 }, { OTHER, 2 }, { LOCK, 1 } };

	(void)state;
	assert_int_equal(wait_sample_waiters(cpus, NR(cpus), LOCK, false), 2);
}

/* Its owner has taken another one since: then all that want it wait. */
static void with_an_owner_below_all_wait(void **state)
{
	struct wait_attempt cpus[] = { { OTHER, 2 }, { LOCK, 1 }, { LOCK, 1 } };

	(void)state;
	assert_int_equal(wait_sample_waiters(cpus, NR(cpus), LOCK, true), 2);
	assert_int_equal(wait_sample_waiters(cpus, NR(cpus), OTHER, false), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(one_who_has_it_is_no_waiter),
	cmocka_unit_test(of_several_one_has_it),
	cmocka_unit_test(with_an_owner_below_all_wait),
};

UNIT_GROUP(wait_sample, tests)
