// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/refusal.h"
#include "unit.h"

static void last_message_is_the_reason(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find("0: R1=ctx() R10=fp0\n"
				 "; int aa(struct __sk_buff *ctx) @ aa.bpf.c:25\n"
				 "0: (b7) r1 = 0                        ; R1_w=0\n"
				 "; err = res_spin_lock(&lock); @ aa.bpf.c:33\n"
				 "23: (85) call bpf_res_spin_lock#7\n"
				 "R1 doesn't point to map value\n"
				 "processed 24 insns (limit 1000000) max_states_per_insn 0\n",
				 &r));
	assert_string_equal(r.reason, "R1 doesn't point to map value");
	assert_string_equal(r.at, "aa.bpf.c:33");
	assert_string_equal(r.text, "err = res_spin_lock(&lock);");
}

static void states_are_no_reason(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find("; for (;;) @ loop.bpf.c:9\n"
				 "23: (05) goto pc-1\n"
				 "infinite loop detected at insn 23\n"
				 "cur state: R0=0 R10=fp0\n"
				 "old state: R0=0 R10=fp0\n"
				 "processed 24 insns (limit 1000000)\n",
				 &r));
	assert_string_equal(r.reason, "infinite loop detected at insn 23");
	assert_string_equal(r.at, "loop.bpf.c:9");
}

static void older_kernels_name_no_file(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(
		refusal_find("; return 1;\n5: (95) exit\nR0 !read_ok\nprocessed 6 insns\n", &r));
	assert_string_equal(r.reason, "R0 !read_ok");
	assert_string_equal(r.at, "");
	assert_string_equal(r.text, "return 1;");
}

static void no_log_is_no_refusal(void **state)
{
	struct refusal r;

	(void)state;
	assert_false(refusal_find("", &r));
	assert_false(refusal_find("magic: 0xeb9f\n[1] PTR (anon)\n", &r));
	assert_false(refusal_find("0: R1=ctx()\n0: (95) exit\nprocessed 1 insns\n", &r));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(last_message_is_the_reason),
	cmocka_unit_test(states_are_no_reason),
	cmocka_unit_test(older_kernels_name_no_file),
	cmocka_unit_test(no_log_is_no_refusal),
};

UNIT_GROUP(refusal, tests)
