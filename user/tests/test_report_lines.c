// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/gather.h"
#include "output/page/lines.h"
#include "output/page/rank.h"
#include "output/page/timeline.h"
#include "output/page/waits.h"
#include "unit.h"

#define COMMON                                                                          \
	"\"schema\":\"rqspin-event/2\",\"type\":\"failure\",\"time\":"                  \
	"\"2026-11-21T12:00:00.000000Z\",\"cpu\":0,\"comm\":null,\"prog\":{\"id\":5,"   \
	"\"name\":\"a\\\"b\\\\\"},\"map_id\":null,\"lock\":{\"name\":\"x\",\"addr\":"   \
	"\"0x1\"},\"held\":[{\"name\":\"z\",\"addr\":\"0x3\"},{\"name\":\"y\",\"addr\"" \
	":\"0x2\"}],\"at\":null,\"report\":null"
#define AA "{" COMMON ",\"kind\":\"AA\",\"parties\":1,\"owner\":null,\"chain\":null}"
#define ABBA                                                                               \
	"{" COMMON ",\"kind\":\"ABBA\",\"parties\":2,\"chain\":null,\"owner\":{\"cpu\":1," \
	"\"comm\":\"t\",\"wants\":{\"name\":\"z\",\"addr\":\"0x3\"}}}"
#define CHAIN(who)                                                                          \
	"{" COMMON ",\"kind\":\"ABBA\",\"parties\":2,\"owner\":null,\"chain\":[{\"cpu\":1," \
	"\"wants\":{\"name\":\"z\",\"addr\":\"0x3\"}," who "}]}"
#define BOTH                                                                              \
	CHAIN("\"prog\":{\"id\":6,\"name\":\"mine\"},\"function\":null,\"at\":{\"file\":" \
	      "\"/src/b.c\",\"line\":24}")
#define KERNEL CHAIN("\"prog\":null,\"at\":null,\"function\":\"htab_map_update_elem\"")
#define LATE   "{" COMMON ",\"kind\":\"TIMEOUT\",\"parties\":null,\"owner\":null,\"chain\":null}"

static json_t *line_parsed(const char *text)
{
	json_error_t error;
	json_t *j = json_loads(text, 0, &error);

	assert_non_null(j);
	return j;
}

static void a_line_is_ours_or_not(void **state)
{
	json_t *line = line_parsed(AA);
	char why[200];

	(void)state;
	assert_false(lines_wrong(line, why, sizeof(why)));
	json_object_set_new(line, "parties", json_string("1"));
	assert_true(lines_wrong(line, why, sizeof(why)));
	assert_string_equal(why, "\"parties\" of the failure has the wrong type");
	json_object_del(line, "parties");
	assert_true(lines_wrong(line, why, sizeof(why)));
	assert_string_equal(why, "a failure without \"parties\"");
	json_decref(line);
	line = json_array();
	assert_true(lines_wrong(line, why, sizeof(why)));
	json_decref(line);
}

static void assert_graph(const char *text, const char *part, bool there)
{
	json_t *line = line_parsed(text);
	struct waits *w = waits_read(line);
	char *dot = w ? waits_dot(w) : NULL;

	assert_non_null(dot);
	if (!strstr(dot, part) == there)
		fail_msg("'%s' in:\n%s", part, dot);
	free(dot);
	free(w);
	json_decref(line);
}

static void assert_text(const struct waits *w, const char *want)
{
	char *text = waits_text(w);

	assert_string_equal(text, want);
	free(text);
}

static struct waits *waits_of(const char *text)
{
	json_t *line = line_parsed(text);
	struct waits *w = waits_read(line);

	assert_non_null(w);
	json_decref(line);
	return w;
}

static void texts_have_the_members(void **state)
{
	struct waits *both = waits_of(BOTH), *one = waits_of(ABBA);

	(void)state;
	assert_text(both, "a\"b\\ wants x and holds z; mine at b.c:24 wants z");
	assert_text(one, "a\"b\\ wants x and holds z");
	free(both);
	free(one);
}

/* Whichever member fails: it is the same deadlock, unless a program says otherwise. */
static void failures_of_one_deadlock_are_joined(void **state)
{
	struct waits *one = waits_of(ABBA), *both = waits_of(BOTH), *again = waits_of(BOTH);
	char *key = waits_key(one), *other = waits_key(both);

	(void)state;
	assert_string_equal(key, other);
	assert_true(waits_join(one, both));
	assert_text(one, "a\"b\\ wants x and holds z; mine at b.c:24 wants z");
	/* From the other side. */
	snprintf(again->members[0].who, REPORT_NAME, "mine");
	snprintf(again->members[0].at, REPORT_NAME, "b.c:24");
	snprintf(again->members[0].lock, REPORT_NAME, "z");
	snprintf(again->members[1].lock, REPORT_NAME, "x");
	again->members[1].known = false;
	assert_true(waits_join(one, again));
	snprintf(again->members[0].at, REPORT_NAME, "b.c:25");
	assert_false(waits_join(one, again));
	free(key);
	free(other);
	free(one);
	free(both);
	free(again);
}

static void graphs_name_who_waits_for_whom(void **state)
{
	json_t *line = line_parsed(LATE);

	(void)state;
	assert_graph(AA, "label=\"a\\\"b\\\\\"", true);
	assert_graph(AA, "l0 -> w0", true);
	assert_graph(AA, "w1", false);
	/* The owner wants the first of two held locks, so it is that one. */
	assert_graph(ABBA, "label=\"task t\"", true);
	assert_graph(ABBA, "l1 [class=\"lock\", shape=ellipse, label=\"z\"]", true);
	assert_graph(ABBA, "l1 -> w0", true);
	assert_graph(BOTH, "label=\"mine\\nb.c:24\"", true);
	assert_graph(KERNEL, "label=\"htab_map_update_elem\"", true);
	assert_null(waits_read(line));
	json_decref(line);
}

static void times_are_read_exactly(void **state)
{
	struct timeline t = { 0 };
	json_t *j;

	(void)state;
	assert_int_equal(timeline_add(&t, "yesterday", "AA"), -EINVAL);
	assert_int_equal(timeline_add(&t, "2026-11-21T12:00:00.5", "AA"), -EINVAL);
	j = timeline_json(&t);
	assert_true(json_is_null(j));
	json_decref(j);
	assert_int_equal(timeline_add(&t, "1970-01-01T00:00:02.000000Z", "AA"), 0);
	assert_int_equal(timeline_add(&t, "1970-01-01T00:00:01.000001Z", "ABBA"), 0);
	j = timeline_json(&t);
	assert_int_equal(json_integer_value(json_object_get(j, "start_us")), 1000001);
	assert_int_equal(json_integer_value(json_object_get(j, "end_us")), 2000000);
	json_decref(j);
	timeline_free(&t);
}

static void the_top_has_the_largest_and_the_sum_of_the_others(void **state)
{
	json_t *table = json_object(), *top;

	(void)state;
	rank_count(table, "few", "AA", 1);
	rank_count(table, "most", "AA", 7);
	rank_count(table, "some", "AA", 2);
	rank_count(table, "some", "ABBA", 2);
	top = rank_top(table, 1);
	assert_int_equal(json_array_size(json_object_get(top, "rows")), 1);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(top, "rows"), 0), "name")),
			    "most");
	assert_int_equal(json_integer_value(json_object_get(top, "more")), 2);
	assert_int_equal(json_integer_value(json_object_get(top, "more_count")), 5);
	json_decref(top);
	json_decref(table);
}

static void all_is_summed_up(void **state)
{
	json_t *line = line_parsed(ABBA), *sums;
	struct gather g;

	(void)state;
	assert_int_equal(gather_init(&g), 0);
	gather_line(line, &g);
	gather_line(line, &g);
	sums = gather_json(&g);
	assert_int_equal(json_integer_value(json_object_get(sums, "failures")), 2);
	assert_int_equal(json_array_size(json_object_get(json_object_get(sums, "cycles"), "rows")),
			 1);
	json_decref(sums);
	gather_free(&g);
	json_decref(line);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_line_is_ours_or_not),
	cmocka_unit_test(graphs_name_who_waits_for_whom),
	cmocka_unit_test(texts_have_the_members),
	cmocka_unit_test(failures_of_one_deadlock_are_joined),
	cmocka_unit_test(times_are_read_exactly),
	cmocka_unit_test(the_top_has_the_largest_and_the_sum_of_the_others),
	cmocka_unit_test(all_is_summed_up),
};

UNIT_GROUP(report_lines, tests)
