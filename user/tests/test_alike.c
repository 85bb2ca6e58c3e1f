// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "output/alike.h"
#include "events/failure.h"
#include "unit.h"

static struct failure failure_make(__u64 ts_ns, __u64 lock)
{
	return (struct failure){
		.ev = { .ts_ns = ts_ns, .wait_ns = ts_ns / 2, .lock = lock, .kind = RQSPIN_AA },
	};
}

static void time_and_wait_are_no_difference(void **state)
{
	struct failure first = failure_make(100, 0xa), later = failure_make(200, 0xa);

	(void)state;
	assert_string_equal(alike_add(&first, strdup("a"), true), "a");
	later.ev.seq = 7;
	assert_string_equal(alike_find(&later, 50), "a");
	later.ev.wait_ns = WAIT_UNKNOWN;
	assert_null(alike_find(&later, 50));
	alike_forget();
	assert_null(alike_find(&first, 50));
}

static void anything_else_is(void **state)
{
	struct failure first = failure_make(100, 0xa), other = failure_make(200, 0xb);

	(void)state;
	alike_add(&first, strdup("a"), true);
	assert_null(alike_find(&other, 50));
	other = failure_make(200, 0xa);
	other.ev.owner_cpu = 1;
	assert_null(alike_find(&other, 50));
	alike_forget();
}

/* An address may have been another lock's before. */
static void names_have_changed_since(void **state)
{
	struct failure first = failure_make(100, 0xa), later = failure_make(200, 0xa);

	(void)state;
	alike_add(&first, strdup("a"), true);
	assert_null(alike_find(&later, 150));
	assert_null(alike_find(&later, 250));
	alike_forget();
}

static void what_has_its_own_text(void **state)
{
	struct failure first = failure_make(100, 0xa), later = failure_make(200, 0xa);

	(void)state;
	alike_add(&first, strdup("a"), false);
	assert_null(alike_find(&later, 50));
	alike_forget();
}

static void many_differ(void **state)
{
	(void)state;
	for (__u64 i = 1; i <= 100; i++) {
		struct failure f = failure_make(100 + i, i);
		char text[16];

		snprintf(text, sizeof(text), "%d", (int)i);
		alike_add(&f, strdup(text), true);
		assert_string_equal(alike_find(&f, 50), text);
	}
	alike_forget();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(time_and_wait_are_no_difference),
	cmocka_unit_test(anything_else_is),
	cmocka_unit_test(names_have_changed_since),
	cmocka_unit_test(what_has_its_own_text),
	cmocka_unit_test(many_differ),
};

UNIT_GROUP(alike, tests)
