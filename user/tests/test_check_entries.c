// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions that are entered in many ways. */
#include "check/entries.h"
#include "check/state.h"
#include "check/sym.h"
#include "unit.h"

#define WAYS 4000

static int put_count(void *to, struct state *st)
{
	++*(size_t *)to;
	state_free(st);
	return 0;
}

/* A state that has just entered the function at 1: another one each time. */
static struct state *way_new(__u32 way)
{
	struct state *st = state_new(0);

	assert_non_null(st);
	st->failed_pc = way;
	assert_int_equal(state_push(st, 1, CALLBACK_NONE), 0);
	st->pc = 1;
	return st;
}

static size_t enter_ways(struct entries *e, size_t *put)
{
	size_t own = 0;

	*put = 0;
	for (__u32 way = 1; way <= WAYS; way++) {
		struct state *st = way_new(way);
		int ret = entries_enter(e, st);

		assert_in_range(ret, 0, 1);
		own += ret;
		state_free(st);
	}
	return own;
}

/* They are looked for among each other: that is in the budget, and it is no look at each. */
static void test_many_ways(void **state)
{
	struct syms *syms = syms_new();
	size_t put, own;
	struct entries *e = entries_new(4, syms, put_count, &put);

	(void)state;
	own = enter_ways(e, &put);
	assert_int_equal(own + put, WAYS);
	assert_in_range(entries_looks(e), WAYS, (unsigned long)WAYS * WAYS / 64);
	assert_true(entries_bytes(e) > WAYS * sizeof(struct frame *));
	put = 0;
	assert_int_equal(enter_ways(e, &put), 0);
	assert_int_equal(put, own); /* the first ones were followed on their own */
	entries_free(e);
	syms_free(syms);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_many_ways),
};

UNIT_GROUP(check_entries, tests)
