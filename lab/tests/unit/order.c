// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The order in which a round runs the locks. */
#include <string.h>

#include "unit.h"
#include "../../threads/lib/order.h"

#define LOCKS  20
#define ROUNDS 201 /* as many as lab-bench has */

/* Each lock is once in a round, and in some round at each place and behind each other lock. */
static void test_each_place_and_each_neighbour(void **state)
{
	bool at[LOCKS][LOCKS] = { 0 }, behind[LOCKS][LOCKS] = { 0 };
	int order[LOCKS], round, i, k;

	for (round = 0; round < ROUNDS; round++) {
		bool seen[LOCKS] = { 0 };

		lab_order(order, LOCKS, round);
		for (i = 0; i < LOCKS; i++) {
			assert_in_range(order[i], 0, LOCKS - 1);
			assert_false(seen[order[i]]);
			seen[order[i]] = true;
			at[order[i]][i] = true;
			if (i)
				behind[order[i]][order[i - 1]] = true;
		}
	}
	for (i = 0; i < LOCKS; i++) {
		for (k = 0; k < LOCKS; k++) {
			assert_true(at[i][k]);
			assert_true(i == k || behind[i][k]);
		}
	}
}

/* All threads of a round get the same order. */
static void test_again(void **state)
{
	int one[LOCKS], other[LOCKS];

	lab_order(one, LOCKS, 7);
	lab_order(other, LOCKS, 7);
	assert_memory_equal(one, other, sizeof(one));
	lab_order(other, LOCKS, 8);
	assert_memory_not_equal(one, other, sizeof(one));
}

void unit_order(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_place_and_each_neighbour),
		cmocka_unit_test(test_again),
	};

	unit_run(sum, tests);
}
