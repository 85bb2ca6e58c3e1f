// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Known misses: only a change of them fails. */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "../../threads/lib/known.h"

#define ONE_LOCK "rqspinlock, one lock"

static const struct lab_cpu zen_5 = { "AuthenticAMD", 26, 2 };

static void test_what_changes(void **state)
{
	const struct lab_known *k = lab_known(&zen_5, ONE_LOCK);

	assert_non_null(k);
	assert_int_equal(lab_judge(k, false, k->value), LAB_AS_KNOWN);
	assert_int_equal(lab_judge(k, false, k->value + 0.9 * k->tolerance), LAB_AS_KNOWN);
	assert_int_equal(lab_judge(k, false, k->value + 2 * k->tolerance), LAB_OTHER_VALUE);
	assert_int_equal(lab_judge(k, true, 1.0), LAB_VANISHED);
	assert_int_equal(lab_judge(k, false, NAN), LAB_OTHER_VALUE);
}

/* Other CPUs, other targets: a miss there is news. */
static void test_what_is_not_known(void **state)
{
	struct lab_cpu other = zen_5;

	assert_null(lab_known(&zen_5, "rqspinlock, tight"));
	other.family = 6;
	assert_null(lab_known(&other, ONE_LOCK));
	strcpy(other.vendor, "GenuineIntel");
	other.family = zen_5.family;
	assert_null(lab_known(&other, ONE_LOCK));
	assert_int_equal(lab_judge(NULL, false, 1.046), LAB_MISSED);
	assert_int_equal(lab_judge(NULL, true, 1.0), LAB_MET);
}

static void test_list(void **state)
{
	const struct lab_known *k = NULL;
	int n = 0;

	while ((k = lab_known_next(&zen_5, k)))
		n += lab_known(&zen_5, k->what) == k && k->tolerance > 0 && *k->why;
	assert_int_equal(n, 3);
}

static void test_this_cpu(void **state)
{
	struct lab_cpu cpu;

	lab_this_cpu(&cpu);
#ifdef __x86_64__
	assert_int_equal(strlen(cpu.vendor), LAB_VENDOR - 1);
	assert_true(cpu.family > 0);
#else
	assert_null(lab_known_next(&cpu, NULL));
#endif
}

void unit_known(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changes),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_this_cpu),
	};

	unit_run(sum, tests);
}
