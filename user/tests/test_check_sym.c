// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>

#include "check/facts.h"
#include "check/state.h"
#include "unit.h"

#define ADD (SYM_ALU + (BPF_ALU64 | BPF_ADD))

static void same_arithmetic_is_same_symbol(void **state)
{
	struct syms *syms = syms_new();
	sym_t a = sym_fresh(syms, 1, false), b = sym_fresh(syms, 2, false);
	sym_t five = sym_number(syms, 5);
	__u64 n;

	(void)state;
	assert_int_equal(sym_make(syms, ADD, a, five), sym_make(syms, ADD, a, five));
	assert_int_not_equal(sym_make(syms, ADD, a, five), sym_make(syms, ADD, b, five));
	assert_true(sym_is_number(syms, sym_make(syms, ADD, five, five), &n));
	assert_int_equal(n, 10);
	assert_int_equal(sym_low32(syms, sym_low32(syms, a)), sym_low32(syms, a));
	syms_free(syms);
}

/* Added before or after the upper half is gone: the same place in an arena. */
static void sums_have_a_base(void **state)
{
	struct syms *syms = syms_new();
	sym_t a = sym_fresh(syms, 1, false), eight = sym_number(syms, 8);
	sym_t before = sym_low32(syms, sym_make(syms, ADD, a, eight));
	sym_t after = sym_make(syms, ADD, sym_low32(syms, a), eight);
	__u64 sum = 1;

	(void)state;
	assert_int_equal(sym_base(syms, before, &sum), a);
	assert_int_equal(sum, 9);
	assert_int_equal(sym_base(syms, sym_make(syms, ADD, after, eight), &sum), a);
	assert_int_equal(sum, 25);
	assert_int_equal(sym_base(syms, sym_make(syms, ADD, a, a), &sum),
			 sym_make(syms, ADD, a, a));
	assert_int_equal(sym_base(syms, 0, &sum), 0);
	assert_int_equal(sum, 25);
	syms_free(syms);
}

static void replacing_reaches_into_expressions(void **state)
{
	struct syms *syms = syms_new();
	sym_t a = sym_fresh(syms, 1, false), five = sym_number(syms, 5);
	sym_t sum = sym_make(syms, ADD, a, five);
	__u64 n;

	(void)state;
	assert_true(sym_depends(syms, sum, a));
	assert_true(sym_is_number(syms, sym_replace(syms, sum, a, sym_number(syms, 2)), &n));
	assert_int_equal(n, 7);
	assert_int_equal(sym_replace(syms, sum, a, 0), 0);
	syms_free(syms);
}

static void what_is_made_again_is_another(void **state)
{
	struct syms *syms = syms_new();
	struct state *st = state_new(0);
	struct val first = state_fresh(syms, st, 7, false);

	(void)state;
	*state_reg(st, 1) = first;
	st->held[st->nr_held++].lock = (struct lockid){ VAL_ELEM, 0, 0, first.sym };
	*state_reg(st, 2) = state_fresh(syms, st, 7, false);
	assert_int_equal(state_reg(st, 1)->kind, VAL_ANY);
	assert_int_equal(st->held[0].lock.sym, 0);
	assert_int_equal(state_reg(st, 2)->kind, VAL_SYM);
	state_free(st);
	syms_free(syms);
}

/* Once is not again: what is called once at most does not try its lock a second time. */
static void a_frame_knows_how_it_was_called(void **state)
{
	struct state *st = state_new(0);

	(void)state;
	assert_int_equal(state_top(st)->callback, CALLBACK_NONE);
	assert_int_equal(state_push(st, 5, CALLBACK_ONCE), 0);
	assert_int_equal(state_top(st)->callback, CALLBACK_ONCE);
	assert_int_equal(state_push(st, 6, CALLBACK_AGAIN), 0);
	assert_int_equal(state_top(st)->callback, CALLBACK_AGAIN);
	state_free(st);
}

static void contradictions_end_a_path(void **state)
{
	struct syms *syms = syms_new();
	struct state *st = state_new(0);
	sym_t a = sym_fresh(syms, 1, false), b = sym_fresh(syms, 2, false);

	(void)state;
	assert_true(state_assume(syms, st, BPF_JLT, a, b));
	assert_false(state_assume(syms, st, BPF_JEQ, a, b));
	assert_false(state_assume(syms, st, BPF_JLT, b, a));
	assert_false(state_assume(syms, st, BPF_JLE, b, a));
	assert_true(state_assume(syms, st, BPF_JEQ, a, sym_number(syms, 3)));
	assert_false(state_assume(syms, st, BPF_JEQ, b, sym_number(syms, 2)));
	state_free(st);
	syms_free(syms);
}

static void joining_loses_numbers_not_locks(void **state)
{
	struct syms *syms = syms_new();
	struct state *one = state_new(0), *two = state_new(0);

	(void)state;
	*state_reg(one, 1) = (struct val){ .kind = VAL_NUMBER, .number = 1 };
	*state_reg(two, 1) = (struct val){ .kind = VAL_NUMBER, .number = 2 };
	assert_true(state_alike(one, two));
	assert_false(state_covers(one, two, 1 << 1));
	assert_true(state_covers(one, two, 1 << 2));
	state_join(syms, two, one, 9);
	assert_int_equal(state_reg(two, 1)->kind, VAL_SYM);
	two->held[two->nr_held++].lock = (struct lockid){ VAL_ELEM, 0, 0, 1 };
	assert_false(state_alike(one, two));
	state_free(one);
	state_free(two);
	syms_free(syms);
}

/* A long key is as good as a short one; arithmetic has an end, which is counted. */
static void length_has_a_limit_for_arithmetic(void **state)
{
	struct syms *syms = syms_new();
	sym_t key = sym_fresh(syms, 1, true), sum = key;

	(void)state;
	for (__u64 i = 0; i < 100; i++)
		key = sym_make(syms, SYM_JOINED, key, sym_fresh(syms, i, true));
	assert_int_not_equal(key, 0);
	assert_int_equal(sym_deep(syms), 0);
	for (__u64 i = 0; sum && i < 100; i++)
		sum = sym_make(syms, ADD, sum, sym_fresh(syms, i, true));
	assert_int_equal(sum, 0);
	assert_int_equal(sym_deep(syms), 1);
	syms_free(syms);
}

/* The thirteenth condition is remembered for the first: that is counted. */
static void forgotten_conditions_are_counted(void **state)
{
	struct syms *syms = syms_new();
	struct state *st = state_new(0);
	struct bounds bounds = {};
	sym_t a = sym_fresh(syms, 0, false);

	(void)state;
	st->bounds = &bounds;
	for (__u64 i = 1; i <= STATE_FACTS; i++)
		assert_true(state_assume(syms, st, BPF_JLT, a, sym_fresh(syms, i, false)));
	assert_int_equal(bounds.conditions, 0);
	assert_true(state_assume(syms, st, BPF_JLT, a, sym_fresh(syms, 99, false)));
	assert_int_equal(bounds.conditions, 1);
	state_free(st);
	syms_free(syms);
}

/* (x & 3) * 4 + 8, of 64 and of 32 bits, and what may go round. */
static void arithmetic_has_bounds(void **state)
{
	struct syms *syms = syms_new();
	sym_t x = sym_fresh(syms, 0, false), three = sym_number(syms, 3);
	sym_t masked = sym_make(syms, SYM_ALU + (BPF_ALU64 | BPF_AND), x, three);
	sym_t scaled = sym_make(syms, SYM_ALU + (BPF_ALU64 | BPF_LSH), masked, sym_number(syms, 2));
	sym_t sum = sym_make(syms, SYM_ALU + (BPF_ALU | BPF_ADD), scaled, sym_number(syms, 8));
	sym_t wraps = sym_make(syms, SYM_ALU + (BPF_ALU64 | BPF_ADD), x, three);
	sym_t minus = sym_make(syms, SYM_ALU + (BPF_ALU64 | BPF_SUB), three, masked);

	(void)state;
	assert_int_equal(sym_max(syms, masked), 3);
	assert_int_equal(sym_max(syms, sum), 20);
	assert_int_equal(sym_min(syms, sum), 8);
	assert_true(sym_max(syms, wraps) == ~0ULL && sym_min(syms, wraps) == 0);
	assert_true(sym_max(syms, minus) == ~0ULL);
	assert_int_equal(sym_max(syms, sym_low32(syms, x)), (__u32)-1);
	syms_free(syms);
}

/* A pointer that is not known does not stand for one into the stack: a write would be lost. */
static void unknown_does_not_cover_the_stack(void **state)
{
	struct state *general = state_new(0), *st = state_new(0);
	__u32 live = 1U << 1;

	(void)state;
	*state_reg(st, 1) = (struct val){ .kind = VAL_NUMBER, .number = 7 };
	assert_true(state_covers(general, st, live));
	*state_reg(st, 1) = (struct val){ .kind = VAL_STACK, .off = -8 };
	assert_false(state_covers(general, st, live));
	*state_reg(general, 1) = (struct val){ .kind = VAL_ANYWHERE };
	assert_true(state_covers(general, st, live));
	state_free(general);
	state_free(st);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(same_arithmetic_is_same_symbol),
	cmocka_unit_test(sums_have_a_base),
	cmocka_unit_test(replacing_reaches_into_expressions),
	cmocka_unit_test(what_is_made_again_is_another),
	cmocka_unit_test(a_frame_knows_how_it_was_called),
	cmocka_unit_test(contradictions_end_a_path),
	cmocka_unit_test(joining_loses_numbers_not_locks),
	cmocka_unit_test(length_has_a_limit_for_arithmetic),
	cmocka_unit_test(forgotten_conditions_are_counted),
	cmocka_unit_test(arithmetic_has_bounds),
	cmocka_unit_test(unknown_does_not_cover_the_stack),
};

UNIT_GROUP(check_sym, tests)
