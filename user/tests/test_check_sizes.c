// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>

#include "check/sizes.h"
#include "unit.h"

#define MANY 1000000U

static __u32 size_named(__u8 code, __s32 imm)
{
	const struct bpf_insn insn = { .code = code, .imm = imm };

	return sizes_named(&insn, 1, MANY);
}

static void a_key_that_is_stored_stays(void **state)
{
	(void)state;
	assert_in_range(size_named(BPF_ST | BPF_MEM | BPF_W, 20000), 20001, 20002);
	assert_in_range(size_named(BPF_ALU64 | BPF_MOV | BPF_K, 20000), 20001, 20002);
	assert_int_equal(size_named(BPF_ALU64 | BPF_MOV | BPF_X, 20000), 0);
}

/* if (key <= 4999) return; else there would be no key left, and no lock on that path. */
static void a_key_above_what_it_is_compared_with_stays(void **state)
{
	(void)state;
	assert_int_equal(size_named(BPF_JMP | BPF_JGT | BPF_K, 4999), 5001);
	assert_int_equal(size_named(BPF_JMP32 | BPF_JLT | BPF_K, 5000), 5002);
	assert_int_equal(size_named(BPF_JMP | BPF_CALL, 5000), 0);
}

static void there_are_not_more_than_before(void **state)
{
	(void)state;
	assert_int_equal(size_named(BPF_JMP | BPF_JGT | BPF_K, MANY - 1), MANY);
	assert_int_equal(size_named(BPF_JMP | BPF_JGT | BPF_K, MANY), 0);
	assert_int_equal(size_named(BPF_JMP | BPF_JGT | BPF_K, -1), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_key_that_is_stored_stays),
	cmocka_unit_test(a_key_above_what_it_is_compared_with_stays),
	cmocka_unit_test(there_are_not_more_than_before),
};

UNIT_GROUP(check_sizes, tests)
