// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From lines of a trace to a timeline. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/marks.h"
#include "output/page/perfetto.h"
#include "unit.h"

/* Microseconds after noon; wait_ns 0: unknown. */
static json_t *line_of(const char *kind, int cpu, unsigned int us, json_int_t wait_ns)
{
	char time[40];
	json_t *line;

	snprintf(time, sizeof(time), "2026-11-21T12:00:00.%06uZ", us);
	line = json_pack("{s:s, s:s, s:i, s:{s:s, s:i}, s:{s:s}}", "time", time, "kind", kind,
			 "cpu", cpu, "prog", "name", "mine", "id", 7, "lock", "name", "a");
	assert_non_null(line);
	if (wait_ns)
		json_object_set_new(line, "wait_ns", json_integer(wait_ns));
	return line;
}

static void owner_set(json_t *line, int cpu)
{
	json_object_set_new(line, "owner",
			    json_pack("{s:i, s:{s:s}}", "cpu", cpu, "wants", "name", "b"));
}

static void mark_add(struct marks *m, json_t *line)
{
	assert_int_equal(marks_add(m, line), 0);
	json_decref(line);
}

static json_t *trace_written(struct marks *m)
{
	struct known known;
	char *text = NULL;
	json_t *whole;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(known_init(&known), 0);
	assert_int_equal(marks_settle(m), 0);
	assert_int_equal(perfetto_write(out, m, &known, json_object()), 0);
	fclose(out);
	whole = json_loads(text, 0, NULL);
	assert_non_null(whole);
	free(text);
	known_free(&known);
	return whole;
}

static json_t *event_find(const json_t *whole, const char *phase, size_t nr)
{
	const json_t *events = json_object_get(whole, "traceEvents");
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (!strcmp(json_string_value(json_object_get(event, "ph")), phase) && !nr--)
			return event;
	return NULL;
}

static double number_of(const json_t *event, const char *member)
{
	return json_number_value(json_object_get(event, member));
}

static void a_wait_and_its_failure(void **state)
{
	struct marks m;
	json_t *whole, *wait, *failure;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	mark_add(&m, line_of("TIMEOUT", 3, 500000, 250000500));
	whole = trace_written(&m);
	wait = event_find(whole, "X", 0);
	failure = event_find(whole, "i", 0);
	assert_true(number_of(wait, "ts") == 0 && number_of(wait, "dur") == 250000.5);
	assert_true(number_of(failure, "ts") == 250000.5);
	assert_int_equal(number_of(wait, "tid"), 8);
	assert_int_equal(number_of(failure, "tid"), 7);
	assert_string_equal(json_string_value(json_object_get(wait, "name")), "wants a");
	assert_null(event_find(whole, "s", 0));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(whole, "otherData"), "start")),
		"2026-11-21T12:00:00.249999500Z");
	json_decref(whole);
	marks_free(&m);
}

/* Two arrows between two CPUs, at a time at which both wait. */
static void a_cycle_is_two_arrows(void **state)
{
	json_t *line = line_of("ABBA", 0, 500, 70000), *whole;
	struct marks m;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	owner_set(line, 1);
	mark_add(&m, line);
	whole = trace_written(&m);
	for (size_t i = 0; i < 2; i++) {
		const json_t *from = event_find(whole, "s", i), *to = event_find(whole, "f", i);

		assert_int_equal(number_of(from, "id"), number_of(to, "id"));
		assert_int_equal(number_of(from, "tid"), i ? 4 : 2);
		assert_int_equal(number_of(to, "tid"), i ? 2 : 4);
		assert_true(number_of(from, "ts") > 69 && number_of(from, "ts") < 70);
	}
	assert_null(event_find(whole, "s", 2));
	json_decref(whole);
	marks_free(&m);
}

/* For whom the owner waits is not known: no arrow leads back. */
static void a_cycle_that_is_not_whole(void **state)
{
	json_t *line = line_of("CYCLE", 0, 500, 0), *whole;
	struct marks m;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	owner_set(line, 1);
	json_object_set_new(line, "parties", json_integer(3));
	mark_add(&m, line);
	whole = trace_written(&m);
	assert_non_null(event_find(whole, "s", 0));
	assert_null(event_find(whole, "s", 1));
	json_decref(whole);
	marks_free(&m);
}

/* A viewer puts the slices of a track on a stack. */
static void overlaps_are_cut(void **state)
{
	struct marks m;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	mark_add(&m, line_of("TIMEOUT", 0, 100, 50000));  /* 50 to 100 */
	mark_add(&m, line_of("TIMEOUT", 0, 90, 10000));	  /* 80 to 90: inside */
	mark_add(&m, line_of("TIMEOUT", 0, 120, 60000));  /* 60 to 120: overlaps */
	mark_add(&m, line_of("TIMEOUT", 0, 300, 280000)); /* 20 to 300: around all */
	mark_add(&m, line_of("TIMEOUT", 1, 110, 100000)); /* another CPU */
	assert_int_equal(marks_settle(&m), 0);
	assert_int_equal(m.all[5].end_ns - m.all[5].begin_ns, 20000);
	assert_true(m.all[5].cut);
	for (size_t i = 1; i < m.nr; i += 2)
		assert_true(m.all[i].cut == (i == 5));
	for (size_t i = 1; i < m.nr; i++)
		assert_true(m.drawn[i]->begin_ns >= m.drawn[i - 1]->begin_ns);
	marks_free(&m);
}

static void what_is_left_out_is_counted(void **state)
{
	struct marks m;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	m.most = 40;
	for (unsigned int i = 0; i < 10; i++)
		mark_add(&m, line_of("AA", 0, 100 + i, 0));
	mark_add(&m, json_pack("{s:s, s:s, s:i}", "time", "yesterday", "kind", "AA", "cpu", 0));
	mark_add(&m, json_pack("{s:s, s:s, s:I}", "time", "2026-11-21T12:00:00.000000Z", "kind",
			       "AA", "cpu", (json_int_t)1 << 40));
	mark_add(&m, json_pack("{s:s, s:s, s:i}", "time", "9999-11-21T12:00:00.000000Z", "kind",
			       "AA", "cpu", 0));
	assert_int_equal(m.failures + m.left_out, 10);
	assert_int_equal(m.nr, 2 * m.failures);
	assert_true(m.left_out > 0);
	assert_int_equal(m.undated, 3);
	marks_free(&m);
}

/* Refused at once, or after a wait of unknown length: known zero is no wait. */
static void no_wait(void **state)
{
	json_t *line = line_of("AA", 0, 500, 0);
	struct marks m;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	json_object_set_new(line, "wait_ns", json_integer(0));
	mark_add(&m, line);
	assert_int_equal(m.nr, 1);
	assert_false(m.all[0].wait);
	mark_add(&m, line_of("AA", 0, 600, 0));
	assert_int_equal(m.nr, 3);
	assert_false(m.all[2].begin_known);
	marks_free(&m);
}

static void no_failures(void **state)
{
	struct marks m;
	json_t *whole;

	(void)state;
	assert_int_equal(marks_init(&m), 0);
	whole = trace_written(&m);
	assert_null(event_find(whole, "X", 0));
	json_decref(whole);
	marks_free(&m);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_and_its_failure),
	cmocka_unit_test(a_cycle_is_two_arrows),
	cmocka_unit_test(a_cycle_that_is_not_whole),
	cmocka_unit_test(overlaps_are_cut),
	cmocka_unit_test(what_is_left_out_is_counted),
	cmocka_unit_test(no_failures),
	cmocka_unit_test(no_wait),
};

UNIT_GROUP(perfetto, tests)
