// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics/expose_waits.h"
#include "counts/wait_series.h"
#include "unit.h"

static struct waits_sum sum_of(__u64 count, int bucket, __u64 ns)
{
	struct waits_sum s = { .count = count, .total_ns = count * ns, .max_ns = ns };

	s.hist[bucket] = count;
	return s;
}

static char *series_text(const struct wait_histograms *t, bool openmetrics)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	expose_wait_series(out, t, openmetrics);
	fclose(out);
	return text;
}

static void assert_sample(const char *text, const char *metric, const char *labels,
			  const char *value)
{
	char line[256];

	snprintf(line, sizeof(line), "\n%s{%s} %s\n", metric, labels, value);
	if (!strstr(text, line))
		fail_msg("no line '%s' in:\n%s", line, text);
}

#define BUCKET	     "rqspin_lock_wait_seconds_bucket"
#define COUNT	     "rqspin_lock_wait_seconds_count"
#define NOBODY	     "program=\"\",lock=\"\""
#define LABELS	     "program=\"p\",lock=\"l\""
#define BELOW(value) LABELS ",le=\"" value "\""

static void buckets_are_cumulative(void **state)
{
	struct wait_histograms *t = wait_series_new(10);
	struct waits_sum shortest = sum_of(3, 0, 1), middle = sum_of(2, 10, 1500),
			 longest = sum_of(1, 39, 1ULL << 39);
	char *text;

	(void)state;
	assert_true(wait_series_add(t, "p", "l", "", &shortest));
	assert_true(wait_series_add(t, "p", "l", "", &middle));
	assert_true(wait_series_add(t, "p", "l", "", &longest));
	text = series_text(t, false);
	assert_sample(text, BUCKET, BELOW("2.56e-07"), "3");
	assert_sample(text, BUCKET, BELOW("1.024e-06"), "3");
	assert_sample(text, BUCKET, BELOW("4.096e-06"), "5");
	assert_sample(text, BUCKET, BELOW("1.073741824"), "5");
	assert_sample(text, BUCKET, BELOW("+Inf"), "6");
	assert_sample(text, COUNT, LABELS, "6");
	assert_sample(text, "rqspin_lock_wait_seconds_sum", LABELS, "549.755816891");
	assert_sample(text, "rqspin_lock_longest_wait_seconds", LABELS, "549.755813888");
	free(text);
	wait_series_free(t);
}

static void openmetrics_names_the_family(void **state)
{
	struct wait_histograms *t = wait_series_new(10);
	char *text = series_text(t, true);

	(void)state;
	assert_non_null(strstr(text, "# TYPE rqspin_lock_wait_seconds histogram\n"));
	assert_non_null(strstr(text, "# TYPE rqspin_other_waits counter\n"));
	assert_non_null(strstr(text, "\nrqspin_other_waits_total 0\n"));
	free(text);
	wait_series_free(t);
}

static void too_many_locks_are_one_series(void **state)
{
	struct wait_histograms *t = wait_series_new(10);
	struct waits_sum twice = sum_of(2, 10, 1500);
	__u64 count = 0, total = 0;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			char lock[32];

			snprintf(lock, sizeof(lock), "locks[%d].lock", i);
			assert_true(wait_series_add(t, "p", lock, "", &twice));
		}
	assert_int_equal(wait_series_nr(t), 11);
	assert_true(wait_series_full(t));
	assert_int_equal(wait_series_others(t), 2 * 2 * 990);
	for (size_t i = 0; i < wait_series_nr(t); i++) {
		const struct wait_series *s = wait_series_at(t, i);

		assert_int_equal(!s->lock[0], s->sum.count != 4);
		count += s->sum.count;
		total += s->sum.total_ns;
	}
	assert_int_equal(count, 4000);
	assert_int_equal(total, 4000 * 1500);
	wait_series_free(t);
}

/* It takes no place of a name, and is no sign of too many. */
static void a_lock_without_names_is_not_one_of_too_many(void **state)
{
	struct wait_histograms *t = wait_series_new(1);
	struct waits_sum one = sum_of(1, 10, 1500);

	(void)state;
	assert_true(wait_series_add(t, "", "", "", &one));
	assert_true(wait_series_add(t, "p", "l", "", &one));
	assert_false(wait_series_full(t));
	assert_int_equal(wait_series_others(t), 0);
	assert_true(wait_series_add_other(t, &one));
	assert_int_equal(wait_series_nr(t), 2);
	assert_int_equal(wait_series_others(t), 1);
	assert_false(wait_series_full(t));
	wait_series_free(t);
}

static void cgroups_are_a_label(void **state)
{
	struct wait_histograms *t = wait_series_new(2);
	struct waits_sum one = sum_of(1, 10, 1500), two = sum_of(2, 10, 1500);
	char *text;

	(void)state;
	assert_true(wait_series_add(t, "p", "l", "/a", &one));
	assert_true(wait_series_add(t, "", "", "/b", &two));
	assert_true(wait_series_add(t, "p", "l", "/c", &one));
	assert_true(wait_series_add(t, "p", "l", "/a", &two));
	assert_int_equal(wait_series_nr(t), 3);
	assert_int_equal(wait_series_others(t), 1);
	text = series_text(t, true);
	assert_sample(text, COUNT, LABELS ",cgroup=\"/a\"", "3");
	assert_sample(text, COUNT, NOBODY ",cgroup=\"/b\"", "2");
	assert_sample(text, COUNT, NOBODY, "1");
	assert_sample(text, BUCKET, LABELS ",cgroup=\"/a\",le=\"+Inf\"", "3");
	free(text);
	wait_series_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(buckets_are_cumulative),
	cmocka_unit_test(openmetrics_names_the_family),
	cmocka_unit_test(too_many_locks_are_one_series),
	cmocka_unit_test(a_lock_without_names_is_not_one_of_too_many),
	cmocka_unit_test(cgroups_are_a_label),
};

UNIT_GROUP(wait_series, tests)
