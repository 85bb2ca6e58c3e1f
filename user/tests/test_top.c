// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts/counts.h"
#include "counts/series.h"
#include "output/screen/contention.h"
#include "output/screen/detail.h"
#include "output/screen/keys.h"
#include "output/screen/latest.h"
#include "output/screen/rows.h"
#include "output/screen/snapshot.h"
#include "output/screen/state.h"
#include "events/failure.h"
#include "unit.h"

#define SECOND 1000000000ULL

struct top_test {
	struct counts counts;
	struct latests *latest;
	struct snapshot snap;
};

static void top_begin(struct top_test *t, size_t max)
{
	*t = (struct top_test){ .counts.series = series_new(max), .latest = latests_new() };
	assert_non_null(t->counts.series);
	assert_non_null(t->latest);
}

static void top_end(struct top_test *t)
{
	snapshot_free(&t->snap);
	latests_free(t->latest);
	series_free(t->counts.series);
}

static void top_failed(struct top_test *t, const char *prog, __u32 kind, __u64 wait_ns)
{
	struct failure f = { .ev.kind = kind, .ev.wait_ns = wait_ns };
	size_t i;

	snprintf(f.ev.prog, sizeof(f.ev.prog), "%s", prog);
	i = series_seen(t->counts.series, &f, NULL);
	assert_true(i != SERIES_NONE);
	latest_set(t->latest, i, &f);
}

static char *failure_compose(const struct failure *f, void *ctx)
{
	(void)ctx;
	return strdup(f->ev.prog);
}

static void top_take(struct top_test *t, __u64 now)
{
	series_settle(t->counts.series);
	latests_compose(t->latest, failure_compose, NULL);
	assert_int_equal(snapshot_take(&t->snap, &t->counts, t->latest, now), 0);
}

static void rates_and_waits_are_those_of_a_row(void **state)
{
	struct top_row *rows;
	struct top_test t;
	size_t nr;

	(void)state;
	top_begin(&t, 10);
	top_failed(&t, "p", RQSPIN_AA, WAIT_UNKNOWN);
	top_take(&t, SECOND);
	for (int i = 0; i < 6; i++)
		top_failed(&t, "p", RQSPIN_TIMEOUT, 100 * (i + 1));
	top_take(&t, 3 * SECOND);
	rows = top_rows(&t.snap, TOP_BY_PROG, TOP_FAILURES, "", &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(rows[0].failures, 7);
	assert_int_equal(rows[0].kinds[RQSPIN_TIMEOUT], 6);
	assert_true(rows[0].rate == 3.0 && t.snap.rate == 3.0);
	assert_int_equal(rows[0].waited, 6);
	assert_int_equal(rows[0].wait_ns, 2100);
	assert_int_equal(rows[0].wait_max_ns, 600);
	assert_string_equal(rows[0].latest->latest, "p");
	free(rows);
	top_end(&t);
}

static void rows_are_sorted_and_filtered(void **state)
{
	static const struct {
		enum top_sort sort;
		const char *filter, *order;
	} cases[] = {
		{ TOP_FAILURES, "", "cab" }, { TOP_NAME, "", "abc" }, { TOP_WAIT, "", "bac" },
		{ TOP_MAX, "", "bac" },	     { TOP_NAME, "C", "c" },  { TOP_NAME, "x", "" },
	};
	struct top_test t;

	(void)state;
	top_begin(&t, 10);
	top_failed(&t, "a", RQSPIN_AA, 5);
	top_failed(&t, "a", RQSPIN_AA, 5);
	top_failed(&t, "b", RQSPIN_AA, 20);
	for (int i = 0; i < 3; i++)
		top_failed(&t, "c", RQSPIN_AA, 1);
	top_take(&t, SECOND);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char order[8] = "";
		size_t nr;
		struct top_row *rows =
			top_rows(&t.snap, TOP_BY_PROG, cases[i].sort, cases[i].filter, &nr);

		for (size_t k = 0; k < nr; k++)
			strcat(order, rows[k].prog);
		assert_string_equal(order, cases[i].order);
		free(rows);
	}
	top_end(&t);
}

/* Locks that somebody waited for are rows, too, and only of locks. */
static void contended_locks_are_rows(void **state)
{
	struct contended locks[] = { { "quiet", 3, 900, 400 }, { "a lock of map 5", 2, 50, 30 } };
	struct failure f = { .ev.kind = RQSPIN_AA, .map_id = 5 };
	struct top_row *rows;
	struct top_test t;
	size_t nr;

	(void)state;
	top_begin(&t, 10);
	assert_true(series_seen(t.counts.series, &f, NULL) != SERIES_NONE);
	top_take(&t, SECOND);
	t.snap.contended = locks;
	t.snap.nr_contended = 2;
	rows = top_rows(&t.snap, TOP_BY_LOCK, TOP_CONTENDED, "", &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(rows[0].lock, "quiet");
	assert_int_equal(rows[0].failures, 0);
	assert_int_equal(rows[1].failures, 1);
	assert_int_equal(rows[1].contended->total_ns, 50);
	free(rows);
	rows = top_rows(&t.snap, TOP_BY_PROG, TOP_CONTENDED, "", &nr);
	assert_int_equal(nr, 1);
	assert_null(rows[0].contended);
	free(rows);
	t.snap.contended = NULL;
	t.snap.nr_contended = 0;
	top_end(&t);
}

/* A lock that nothing failed on: its waits, and nothing of failures that there are not. */
static void waits_are_in_the_detail(void **state)
{
	struct contended lock = { "quiet\033[1m", 3, 9000, 4000 };
	struct top_row row = { .lock = "quiet\033[1m" };
	struct top_test t;
	char *text;

	(void)state;
	top_begin(&t, 10);
	top_failed(&t, "p", RQSPIN_AA, 100);
	top_take(&t, SECOND);
	t.snap.contended = &lock;
	t.snap.nr_contended = 1;
	text = top_detail(&t.snap, &row, TOP_BY_LOCK);
	assert_non_null(strstr(text, "lock     quiet\\x1b[1m\n0 failures "));
	assert_non_null(strstr(text, "3 waits for it, also those that ended well: total 9"));
	assert_null(strstr(text, "handed out"));
	assert_null(strstr(text, "not known here"));
	free(text);
	t.snap.contended = NULL;
	t.snap.nr_contended = 0;
	top_end(&t);
}

/* Each with a name of its own: more would not fit if each were kept. */
static void a_million_events_do_not_grow_it(void **state)
{
	enum { EVENTS = 1000000, MAX = 100 };
	struct mallinfo2 before = { 0 }, after;
	struct top_test t;
	char prog[16];

	(void)state;
	top_begin(&t, MAX);
	for (int i = 0; i < EVENTS; i++) {
		if (i == EVENTS / 100) {
			top_take(&t, SECOND);
			before = mallinfo2();
		}
		snprintf(prog, sizeof(prog), "p%d", i);
		top_failed(&t, prog, i % 2 ? RQSPIN_AA : RQSPIN_ABBA, i);
	}
	top_take(&t, 2 * SECOND);
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + 4096);
	assert_int_equal(t.snap.nr, MAX + 2);
	assert_int_equal(t.snap.failures, EVENTS);
	assert_int_equal(t.snap.unnamed, EVENTS - MAX);
	assert_true(t.snap.full);
	top_end(&t);
}

static void keys_press(struct top_state *st, const char *keys)
{
	struct top_row rows[3] = { { .lock = "x" }, { .lock = "y" }, { .lock = "z" } };

	for (; *keys; keys++) {
		top_state_fit(st, 3, 2);
		top_key(st, *keys, rows, 3);
	}
	top_state_fit(st, 3, 2);
}

static void keys_change_the_state(void **state)
{
	struct top_state st = { .interval = 1 };

	(void)state;
	keys_press(&st, "jjjj");
	assert_int_equal(st.selected, 2);
	assert_int_equal(st.first, 1);
	keys_press(&st, "k\n");
	assert_int_equal(st.page, TOP_DETAIL);
	assert_string_equal(st.detail.lock, "y");
	keys_press(&st, "\033");
	assert_int_equal(st.page, TOP_LIST);
	keys_press(&st, "/ab\177q\n");
	assert_string_equal(st.filter, "aq");
	assert_false(st.quit);
	keys_press(&st, "/x\033");
	assert_string_equal(st.filter, "aq");
	keys_press(&st, "\033s\t +");
	assert_string_equal(st.filter, "");
	assert_int_equal(st.sort, TOP_RATE);
	assert_int_equal(st.by, TOP_BY_PROG);
	assert_true(st.frozen && st.interval == 0.5);
	keys_press(&st, "S--q");
	assert_int_equal(st.sort, TOP_FAILURES);
	assert_true(st.interval == 2 && st.quit);
}

static void keys_do_no_harm_to_an_empty_list(void **state)
{
	static const int keys[] = {
		KEY_UP, KEY_DOWN, KEY_PPAGE, KEY_NPAGE, KEY_HOME, KEY_END, '\n'
	};
	struct top_state st = { .interval = 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		top_state_fit(&st, 0, 0);
		top_key(&st, keys[i], NULL, 0);
	}
	top_state_fit(&st, 0, 0);
	assert_int_equal(st.page, TOP_LIST);
	assert_int_equal(st.selected, 0);
	assert_int_equal(st.first, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rates_and_waits_are_those_of_a_row),
	cmocka_unit_test(rows_are_sorted_and_filtered),
	cmocka_unit_test(contended_locks_are_rows),
	cmocka_unit_test(waits_are_in_the_detail),
	cmocka_unit_test(a_million_events_do_not_grow_it),
	cmocka_unit_test(keys_change_the_state),
	cmocka_unit_test(keys_do_no_harm_to_an_empty_list),
};

UNIT_GROUP(top, tests)
