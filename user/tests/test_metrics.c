// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/maplocks.h"
#include "output/metrics/expose.h"
#include "counts/series.h"
#include "events/failure.h"
#include "unit.h"

static struct failure failure_of(const char *prog, __u32 kind)
{
	struct failure f = { .ev = { .kind = kind } };

	snprintf(f.ev.prog, sizeof(f.ev.prog), "%s", prog);
	return f;
}

static char *metrics_text(struct metrics *m, bool openmetrics)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	expose_metrics(out, m, openmetrics);
	fclose(out);
	return text;
}

static void assert_line(const char *text, const char *line)
{
	char *with_ends = NULL;

	assert_true(asprintf(&with_ends, "\n%s\n", line) > 0);
	if (!strstr(text, with_ends))
		fail_msg("no line '%s' in:\n%s", line, text);
	free(with_ends);
}

static void map_types_that_are_not_seen_are_named(void **state)
{
	struct metrics m = { .series = series_new(1),
			     .blind = 1U << MAPLOCK_QUEUE | 1U << MAPLOCK_RINGBUF };
	char *text = metrics_text(&m, false);

	(void)state;
	assert_line(text, "rqspin_unseen_map_types{type=\"queue\"} 1");
	assert_line(text, "rqspin_unseen_map_types{type=\"stack\"} 1");
	assert_line(text, "rqspin_unseen_map_types{type=\"ringbuf\"} 1");
	assert_null(strstr(text, "lpm_trie"));
	assert_line(text, "rqspin_losses_unknown 0");
	free(text);
	series_free(m.series);
}

static void a_label_is_quoted_and_valid(void **state)
{
	struct failure f = failure_of("a\"b\\c\n\xff", RQSPIN_AA);
	struct metrics m = { .series = series_new(10), .sources = "ring, stream" };
	char *text;

	(void)state;
	assert_true(series_seen(m.series, &f, NULL) != SERIES_NONE);
	series_settle(m.series);
	text = metrics_text(&m, false);
	assert_line(
		text,
		"rqspin_lock_failures_total{program=\"a\\\"b\\\\c\\n?\",lock=\"\",kind=\"AA\"} 1");
	assert_line(text, "rqspin_source_info{source=\"ring\"} 1");
	assert_line(text, "rqspin_source_info{source=\"stream\"} 1");
	free(text);
	series_free(m.series);
}

static void openmetrics_ends_and_names_families(void **state)
{
	struct metrics m = { .series = series_new(10), .up = true, .uncounted = 3 };
	char *text = metrics_text(&m, true);

	(void)state;
	assert_line(text, "# TYPE rqspin_lost_failures counter");
	assert_line(text, "rqspin_lost_failures_total 3");
	assert_line(text, "rqspin_up 1");
	assert_string_equal(text + strlen(text) - strlen("# EOF\n"), "# EOF\n");
	free(text);
	series_free(m.series);
}

/* A loss that another source knows after all is seen, and no longer lost. */
static void a_total_never_goes_down(void **state)
{
	struct failure f = failure_of("p", RQSPIN_AA);
	struct series_table *t = series_new(10);
	static const struct {
		__u64 lost, total;
	} steps[] = { { 5, 6 }, { 4, 6 }, { 3, 6 }, { 3, 7 } };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		assert_true(series_seen(t, &f, NULL) != SERIES_NONE);
		series_begin_losses(t);
		assert_true(series_lost(t, &f, steps[i].lost, NULL));
		series_settle(t);
		assert_int_equal(series_nr(t), 1);
		assert_int_equal(series_at(t, 0)->total, steps[i].total);
	}
	series_free(t);
}

static void losses_of_nothing_known_have_a_series(void **state)
{
	struct series_table *t = series_new(10);

	(void)state;
	assert_true(series_lost(t, NULL, 7, NULL));
	series_begin_losses(t);
	assert_true(series_lost(t, NULL, 8, NULL));
	series_settle(t);
	assert_int_equal(series_nr(t), 1);
	assert_int_equal(series_at(t, 0)->total, 8);
	assert_int_equal(series_at(t, 0)->kind, RQSPIN_UNKNOWN);
	series_free(t);
}

static void too_many_names_are_one_series_of_each_kind(void **state)
{
	struct series_table *t = series_new(2);
	__u64 sum = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct failure f = failure_of("", i % 2 ? RQSPIN_AA : RQSPIN_ABBA);

		snprintf(f.ev.prog, sizeof(f.ev.prog), "p%d", i);
		assert_int_equal(series_full(t), i > 2);
		assert_true(series_seen(t, &f, NULL) != SERIES_NONE);
	}
	series_settle(t);
	assert_int_equal(series_nr(t), 4);
	for (size_t i = 0; i < series_nr(t); i++)
		sum += series_at(t, i)->total;
	assert_int_equal(sum, 100);
	assert_string_equal(series_at(t, 2)->prog, "");
	series_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(map_types_that_are_not_seen_are_named),
	cmocka_unit_test(a_label_is_quoted_and_valid),
	cmocka_unit_test(openmetrics_ends_and_names_families),
	cmocka_unit_test(a_total_never_goes_down),
	cmocka_unit_test(losses_of_nothing_known_have_a_series),
	cmocka_unit_test(too_many_names_are_one_series_of_each_kind),
};

UNIT_GROUP(metrics, tests)
