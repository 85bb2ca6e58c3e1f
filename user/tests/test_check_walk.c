// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs by hand: what no compiler here makes, or no kernel here takes. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "check/walk.h"
#include "fault.h"
#include "unit.h"

#define MAP_ID 1

/* What the calls of these programs have in their imm. */
enum { LOCK, UNLOCK, LOOKUP, NOTHING, TAKES_CALLBACK, NR_CALLS };

static const struct call made_up[NR_CALLS] = {
	[LOCK] = { .kind = CALL_LOCK, .name = "bpf_res_spin_lock" },
	[UNLOCK] = { .kind = CALL_UNLOCK, .name = "bpf_res_spin_unlock" },
	[LOOKUP] = { .kind = CALL_LOOKUP, .name = "array_map_lookup_elem" },
	[NOTHING] = { .kind = CALL_OTHER, .name = "bpf_get_prandom_u32" },
	[TAKES_CALLBACK] = { .kind = CALL_OTHER, .name = "bpf_takes_a_function" },
};

struct call __wrap_calls_of(struct calls *calls, const struct bpf_insn *insn);

/* In the place of calls_of(), which needs the addresses of a kernel. */
struct call __wrap_calls_of(struct calls *calls, const struct bpf_insn *insn)
{
	(void)calls;
	assert_in_range(insn->imm, 0, NR_CALLS - 1);
	return made_up[insn->imm];
}

#define CALL(nr) { .code = BPF_JMP | BPF_CALL, .imm = (nr) }
#define CALL_LOCAL(to) \
	{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .off = (to), .imm = -1 }
#define MOV(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define CAST(to, from)                         \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, \
	  .dst_reg = (to),                     \
	  .src_reg = (from),                   \
	  .off = 1,                            \
	  .imm = 1 }
#define SET(to, nr)  { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (nr) }
#define MASK(to, nr) { .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = (to), .imm = (nr) }
#define EXIT	     { .code = BPF_JMP | BPF_EXIT }
#define GOTOX(reg)   { .code = BPF_JMP | BPF_JA | BPF_X, .dst_reg = (reg) }
#define FUNC(to, off)                        \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, \
	  .dst_reg = (to),                   \
	  .src_reg = BPF_PSEUDO_FUNC,        \
	  .imm = (off) },                    \
	{                                    \
	}
#define VALUE(to, off)                       \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, \
	  .dst_reg = (to),                   \
	  .src_reg = BPF_PSEUDO_MAP_VALUE,   \
	  .imm = MAP_ID },                   \
	{                                    \
		.imm = (off)                 \
	}
#define UNLESS(reg, nr, over) \
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = (reg), .off = (over), .imm = (nr) }

struct walked {
	struct record record;
	struct bounds bounds;
	int err;
};

static struct walked insns_walk(struct bpf_insn *insns, size_t nr)
{
	struct check_map map = { .id = MAP_ID,
				 .type = BPF_MAP_TYPE_ARRAY,
				 .key_size = 4,
				 .value_size = 64,
				 .max_entries = 1,
				 .name = "locks" };
	struct check_prog prog = { .name = "made",
				   .section = "tc",
				   .insns = insns,
				   .nr_insns = nr,
				   .type = BPF_PROG_TYPE_SCHED_CLS };
	struct check_set set = { .progs = &prog, .nr_progs = 1, .maps = &map, .nr_maps = 1 };
	struct walked w = {};

	w.err = walk_prog(&set, 0, NULL, &w.record, &w.bounds);
	return w;
}

#define WALKED(insns) insns_walk(insns, sizeof(insns) / sizeof((insns)[0]))

/* Takes the lock at that offset and releases it. */
#define TAKE(off)                                                                              \
	VALUE(BPF_REG_6, off), MOV(BPF_REG_1, BPF_REG_6), CALL(LOCK), UNLESS(BPF_REG_0, 0, 2), \
		SET(BPF_REG_0, 0), EXIT, MOV(BPF_REG_1, BPF_REG_6), CALL(UNLOCK),              \
		SET(BPF_REG_0, 0), EXIT

static void test_unknown_taker(void **state)
{
	struct bpf_insn insns[] = { SET(BPF_REG_1, 0),
				    FUNC(BPF_REG_2, 4),
				    CALL(TAKES_CALLBACK),
				    SET(BPF_REG_0, 0),
				    EXIT,
				    TAKE(0) };
	struct walked w = WALKED(insns);
	bool now = false, later = false;

	(void)state;
	assert_int_equal(w.err, 0);
	assert_string_equal(w.bounds.callback, "bpf_takes_a_function");
	assert_null(w.bounds.stopped);
	for (size_t i = 0; i < w.record.nr_sites; i++) {
		now |= w.record.sites[i].run == RUN_PROGRAM;
		later |= w.record.sites[i].run == RUN_SOMEWHERE;
	}
	assert_true(now && later);
	record_free(&w.record);
}

/* A jump table of clang 21: where it leads is in a map. */
static void test_jump_table(void **state)
{
	struct bpf_insn insns[] = { SET(BPF_REG_1, 0), GOTOX(BPF_REG_1), TAKE(0) };
	struct walked w = WALKED(insns);

	(void)state;
	assert_int_equal(w.err, 0);
	assert_non_null(w.bounds.stopped);
	assert_non_null(strstr(w.bounds.stopped, "jump table"));
	assert_false(w.bounds.spent);
	record_free(&w.record);
}

/* Of a pointer into an arena: no number is left that could decide the branch. */
static void test_cast_of_address_space(void **state)
{
	struct bpf_insn insns[] = { SET(BPF_REG_1, 5),
				    CAST(BPF_REG_2, BPF_REG_1),
				    UNLESS(BPF_REG_2, 5, 2),
				    SET(BPF_REG_0, 0),
				    EXIT,
				    TAKE(0) };
	struct walked w = WALKED(insns);

	(void)state;
	assert_int_equal(w.err, 0);
	assert_null(w.bounds.stopped);
	assert_int_equal(w.record.nr_sites, 1);
	record_free(&w.record);
}

#define CALLS	 24 /* more than are followed each on its own */
#define PER_CALL 5
#define MAIN_LEN (CALLS * PER_CALL + 2)

/* Calls one function again and again, each time with another number that nobody knows. */
static size_t many_calls(struct bpf_insn *to)
{
	const struct bpf_insn each[PER_CALL] = { CALL(NOTHING), MOV(BPF_REG_7, BPF_REG_0),
						 MASK(BPF_REG_7, 3), MOV(BPF_REG_1, BPF_REG_7) };
	const struct bpf_insn end[] = { SET(BPF_REG_0, 0), EXIT };
	const struct bpf_insn function[] = { CALL(NOTHING), UNLESS(BPF_REG_0, 0, 2),
					     SET(BPF_REG_0, 1), EXIT, TAKE(8) };
	size_t nr = 0;

	for (int i = 0; i < CALLS; i++, nr += PER_CALL) {
		memcpy(to + nr, each, sizeof(each));
		to[nr + PER_CALL - 1] =
			(struct bpf_insn)CALL_LOCAL(MAIN_LEN - (int)(nr + PER_CALL));
	}
	memcpy(to + nr, end, sizeof(end));
	memcpy(to + nr + 2, function, sizeof(function));
	return MAIN_LEN + sizeof(function) / sizeof(function[0]);
}

/* Whichever allocation fails: it is said, or a number is unknown, which is counted. */
static void test_no_memory(void **state)
{
	struct bpf_insn insns[MAIN_LEN + 32];
	size_t nr = many_calls(insns), said = 0;
	struct walked whole = insns_walk(insns, nr);
	bool failed = true;

	(void)state;
	assert_int_equal(whole.err, 0);
	assert_null(whole.bounds.stopped);
	assert_int_equal(whole.record.nr_sites, 1);
	for (unsigned long at = 1; failed; at++) {
		struct walked w;

		fault_at(at);
		w = insns_walk(insns, nr);
		failed = fault_end();
		assert_in_set(w.err, ((const uintmax_t[]){ 0, -ENOMEM }), 2);
		if (failed && !w.err)
			assert_true(w.bounds.deep > whole.bounds.deep);
		said += w.err != 0;
		record_free(&w.record);
	}
	record_free(&whole.record);
	assert_true(said > 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unknown_taker),
	cmocka_unit_test(test_jump_table),
	cmocka_unit_test(test_cast_of_address_space),
	cmocka_unit_test(test_no_memory),
};

UNIT_GROUP(check_walk, tests)
