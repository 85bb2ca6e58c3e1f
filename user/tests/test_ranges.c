// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <linux/types.h>

#include "names/ranges.h"
#include "unit.h"

static struct locktype *no_type(const struct mapaddr *at)
{
	(void)at;
	return NULL;
}

static struct mapaddr memory_of(__u32 map_id, __u64 base, __u64 size)
{
	return (struct mapaddr){ .map_id = map_id, .base = base, .size = size };
}

/* One map, of which a look at that time found this one range. */
static void ranges_look(struct ranges *rs, __u32 map_id, __u64 base, __u64 size, __u64 before,
			__u64 now)
{
	struct mapaddr at = memory_of(map_id, base, size);

	assert_int_equal(ranges_add(rs, &at, before), 0);
	assert_int_equal(ranges_merge(rs, now, no_type), 0);
}

static __u32 range_owner(const struct ranges *rs, __u64 addr, __u64 when)
{
	const struct range *r = ranges_find(rs, addr, when, NULL, NULL);

	return r ? r->at.map_id : 0;
}

static bool map_is(__u32 map_id, const void *ctx)
{
	return map_id == *(const __u32 *)ctx;
}

static void an_address_is_in_the_range_around_it(void **state)
{
	struct ranges rs = { 0 };
	struct mapaddr parts[] = { memory_of(3, 0x3000, 0x100), memory_of(1, 0x1000, 0x1000),
				   memory_of(2, 0x2000, 8) };

	(void)state;
	for (int i = 0; i < 3; i++)
		ranges_add(&rs, &parts[i], 0);
	ranges_merge(&rs, 10, no_type);
	assert_int_equal(rs.nr, 3);
	assert_int_equal(range_owner(&rs, 0x1000, 20), 1);
	assert_int_equal(range_owner(&rs, 0x1fff, 20), 1);
	assert_int_equal(range_owner(&rs, 0x2000, 20), 2);
	assert_int_equal(range_owner(&rs, 0x2008, 20), 0);
	assert_int_equal(range_owner(&rs, 0x30ff, 20), 3);
	assert_int_equal(range_owner(&rs, 0xfff, 20), 0);
	/* Seen again it is still one. */
	ranges_add(&rs, &parts[1], 10);
	ranges_merge(&rs, 30, no_type);
	assert_int_equal(rs.nr, 3);
	assert_int_equal(range_owner(&rs, 0x1000, 5), 1);
	ranges_free(&rs);
}

/* Map 1 goes and map 2 gets its memory, both between the looks at 100 and 110. */
static void memory_that_changed_hands_is_told_apart_by_time(void **state)
{
	struct ranges rs = { 0 };
	const __u32 left = 2;

	(void)state;
	ranges_look(&rs, 1, 0x1000, 0x1000, 0, 50);
	ranges_look(&rs, 2, 0x1800, 0x1000, 100, 110);
	ranges_keep_maps(&rs, &left, 1, 111);
	assert_int_equal(range_owner(&rs, 0x1900, 90), 1);
	assert_int_equal(range_owner(&rs, 0x1900, 112), 2);
	/* Between the two only the program can say whose it is. */
	assert_int_equal(range_owner(&rs, 0x1900, 105), 0);
	assert_int_equal(ranges_find(&rs, 0x1900, 105, map_is, &left)->at.map_id, 2);
	ranges_free(&rs);
}

static void a_map_that_is_gone_has_no_later_failures(void **state)
{
	struct ranges rs = { 0 };
	const __u32 left[] = { 1, 3 };

	(void)state;
	ranges_look(&rs, 1, 0x1000, 0x100, 0, 50);
	ranges_look(&rs, 2, 0x2000, 0x100, 0, 51);
	ranges_look(&rs, 3, 0x3000, 0x100, 0, 52);
	ranges_keep_maps(&rs, left, 2, 60);
	assert_int_equal(range_owner(&rs, 0x2000, 55), 2);
	assert_int_equal(range_owner(&rs, 0x2000, 61), 0);
	assert_int_equal(range_owner(&rs, 0x1000, 61), 1);
	/* After a minute it is forgotten. */
	ranges_merge(&rs, 61000000000ULL, no_type);
	assert_int_equal(rs.nr, 2);
	assert_int_equal(range_owner(&rs, 0x2000, 55), 0);
	ranges_free(&rs);
}

static void one_large_range_below_small_ones_is_found(void **state)
{
	struct ranges rs = { 0 };
	const __u32 none = 0;

	(void)state;
	ranges_look(&rs, 9, 0x1000, 0x10000, 0, 50);
	ranges_keep_maps(&rs, &none, 0, 55);
	for (__u32 i = 0; i < 100; i++)
		ranges_look(&rs, 10 + i, 0x2000 + i * 16, 8, 60, 61 + i);
	assert_int_equal(rs.nr, 101);
	assert_int_equal(range_owner(&rs, 0x2000 + 99 * 16 + 4, 54), 9);
	assert_int_equal(range_owner(&rs, 0x2000 + 99 * 16 + 4, 200), 109);
	assert_int_equal(range_owner(&rs, 0x2000 + 99 * 16 + 8, 54), 9);
	ranges_free(&rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_address_is_in_the_range_around_it),
	cmocka_unit_test(memory_that_changed_hands_is_told_apart_by_time),
	cmocka_unit_test(a_map_that_is_gone_has_no_later_failures),
	cmocka_unit_test(one_large_range_below_small_ones_is_found),
};

UNIT_GROUP(ranges, tests)
