// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Percentiles out of buckets, and runs of a lock's owner. */
#include "unit.h"
#include "../../threads/lib/runs.h"

/* Each value belongs to one bucket, whose largest is at most a sixteenth above it. */
static void test_buckets(void **state)
{
	u64 value;
	int b;

	for (b = 1; b < HISTOGRAM_BUCKETS; b++) {
		value = histogram_value(b - 1) + 1;
		assert_int_equal(histogram_bucket(value), b);
		assert_int_equal(histogram_bucket(histogram_value(b)), b);
		assert_true(histogram_value(b) - value <= value / 16);
	}
	assert_int_equal(histogram_value(HISTOGRAM_BUCKETS - 1), (1ULL << 36) - 1);
}

static void test_quantiles(void **state)
{
	static struct histogram h, sum;
	u64 i;

	assert_int_equal(histogram_quantile(&h, 0.5), 0);
	for (i = 1; i <= 1000; i++)
		histogram_add(&h, i * 1000);
	histogram_merge(&sum, &h);
	histogram_merge(&sum, &h);
	assert_int_equal(sum.count, 2000);
	assert_in_range(histogram_quantile(&sum, 0.5), 500000, 500000 * 17 / 16);
	assert_in_range(histogram_quantile(&sum, 0.99), 990000, 1000000);
	assert_int_equal(histogram_quantile(&sum, 0.999), 1000000);
	/* Beyond the last bucket only the longest is known. */
	histogram_add(&h, 1ULL << 40);
	assert_int_equal(h.longest, 1ULL << 40);
	assert_int_equal(h.bucket[HISTOGRAM_BUCKETS - 1], 1);
}

/* Who had the lock: 0 0 0 1 0 1 1 */
static void test_runs(void **state)
{
	static const int owners[] = { 0, 0, 0, 1, 0, 1, 1 };
	static struct lab_runs of[2], sum;
	size_t i;

	assert_int_equal(lab_owner_changes(&sum), 0);
	for (i = 0; i < ARRAY_SIZE(owners); i++)
		lab_run_note(&of[owners[i]], i && owners[i] == owners[i - 1]);
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		lab_run_end(&of[i]);
		lab_runs_merge(&sum, &of[i]);
	}
	assert_int_equal(sum.taken, ARRAY_SIZE(owners));
	assert_int_equal(lab_owner_changes(&sum), 3);
	assert_int_equal(sum.lengths.bucket[1], 2);
	assert_int_equal(sum.lengths.bucket[2], 1);
	assert_int_equal(sum.lengths.bucket[3], 1);
}

void unit_histogram(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_runs),
	};

	unit_run(sum, tests);
}
