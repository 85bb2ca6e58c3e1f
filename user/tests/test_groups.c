// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>

#include "base/groups.h"
#include "unit.h"

#define MANY 300000

struct row {
	uint64_t key, sum;
};

static void rows_are_found_by_their_keys(void **state)
{
	struct groups g = { .size = sizeof(struct row) };
	struct row *row;
	bool added;

	(void)state;
	assert_null(groups_find(&g, "a", 1));
	row = groups_get(&g, "a", 1, &added);
	assert_true(added && !row->sum);
	row->sum = 7;
	row = groups_get(&g, "ab", 2, &added);
	assert_true(added && !row->sum);
	row = groups_get(&g, "a", 1, &added);
	assert_true(!added && row->sum == 7 && row == groups_at(&g, 0));
	assert_ptr_equal(groups_find(&g, "ab", 2), groups_at(&g, 1));
	groups_clear(&g);
	assert_int_equal(g.nr, 0);
	assert_null(groups_find(&g, "a", 1));
	row = groups_get(&g, "a", 1, &added);
	assert_true(added && !row->sum && g.nr == 1);
	groups_clear(&g);
}

/* With a search from row to row this takes minutes. */
static void many_rows_stay_in_order(void **state)
{
	struct groups g = { .size = sizeof(struct row) };

	(void)state;
	for (uint64_t again = 0; again < 2; again++) {
		for (uint64_t i = 0; i < MANY; i++) {
			uint64_t key = i * 0x9e3779b97f4a7c15ULL;
			struct row *row = groups_get(&g, &key, sizeof(key), NULL);

			row->key = key;
			row->sum += i;
		}
	}
	assert_int_equal(g.nr, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		const struct row *row = groups_at(&g, i);

		assert_true(row->key == i * 0x9e3779b97f4a7c15ULL && row->sum == 2 * i);
	}
	groups_clear(&g);
}

static void what_follows_a_text_does_not_count(void **state)
{
	char a[8] = "x\0abc", b[8] = "x\0de", full[2] = { 'y', 'z' };
	struct groups g = { .size = sizeof(struct row) };
	bool added;

	(void)state;
	groups_pad(a, sizeof(a));
	groups_pad(b, sizeof(b));
	groups_pad(full, sizeof(full));
	assert_memory_equal(full, "yz", 2);
	groups_get(&g, a, sizeof(a), NULL);
	groups_get(&g, b, sizeof(b), &added);
	assert_false(added);
	groups_clear(&g);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_are_found_by_their_keys),
	cmocka_unit_test(many_rows_stay_in_order),
	cmocka_unit_test(what_follows_a_text_does_not_count),
};

UNIT_GROUP(groups, tests)
