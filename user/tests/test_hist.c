// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "base/hist.h"
#include "unit.h"

static void empty_has_no_percentiles(void **state)
{
	struct hist h = { 0 };
	struct percentiles p;

	(void)state;
	assert_false(hist_percentiles(&h, &p));
	assert_int_equal(p.max, 0);
}

static void small_values_are_exact(void **state)
{
	struct hist h = { 0 };
	struct percentiles p;

	(void)state;
	for (uint64_t v = 1; v <= 10; v++)
		hist_add(&h, v);
	assert_true(hist_percentiles(&h, &p));
	assert_int_equal(p.p50, 5);
	assert_int_equal(p.p90, 9);
	assert_int_equal(p.p99, 10);
	assert_int_equal(p.max, 10);
}

static void values_lie_in_their_bucket(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 63; bit++) {
		for (int off = -1; off <= 1; off++) {
			uint64_t v = (1ULL << bit) + off;
			uint32_t b = sample_bucket(v);

			assert_true(b < SAMPLE_BUCKETS);
			assert_true(sample_bucket_low(b) <= v);
			assert_true(v < sample_bucket_low(b + 1));
		}
	}
}

static void quantile_is_at_most_a_sixteenth_high(void **state)
{
	(void)state;
	for (uint64_t v = 1; v < 1ULL << 50; v = v * 3 + 1) {
		struct hist h = { 0 };
		uint64_t q;

		hist_add(&h, v);
		q = hist_quantile(&h, 0.5);
		assert_true(q >= v);
		assert_true(q - v <= v / SAMPLE_SUBS);
	}
}

static void largest_value_does_not_overflow(void **state)
{
	struct hist h = { 0 };

	(void)state;
	hist_add(&h, UINT64_MAX);
	assert_true(hist_quantile(&h, 1) == UINT64_MAX);
}

static void merge_adds(void **state)
{
	static uint32_t raw[SAMPLE_BUCKETS];
	struct hist h = { 0 }, sum = { 0 };

	(void)state;
	raw[3] = 7;
	hist_merge(&h, raw);
	hist_add(&h, 3);
	hist_merge_hist(&sum, &h);
	hist_merge_hist(&sum, &h);
	assert_int_equal(sum.total, 16);
	assert_int_equal(sum.buckets[3], 16);
}

static void tail_is_not_lost(void **state)
{
	struct hist h = { 0 };

	(void)state;
	for (int i = 0; i < 99; i++)
		hist_add(&h, 10);
	hist_add(&h, 1000000);
	assert_int_equal(hist_quantile(&h, 0.99), 10);
	assert_true(hist_quantile(&h, 0.995) >= 1000000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(empty_has_no_percentiles),
	cmocka_unit_test(small_values_are_exact),
	cmocka_unit_test(values_lie_in_their_bucket),
	cmocka_unit_test(quantile_is_at_most_a_sixteenth_high),
	cmocka_unit_test(largest_value_does_not_overflow),
	cmocka_unit_test(merge_adds),
	cmocka_unit_test(tail_is_not_lost),
};

UNIT_GROUP(hist, tests)
