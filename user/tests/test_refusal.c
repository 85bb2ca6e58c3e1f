// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

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

static void lines_of_a_message_are_joined(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find("8: (85) call pc+5\n"
				 "global function calls are not allowed while holding a lock,\n"
				 "use static function instead\n"
				 "processed 8 insns (limit 1000000)\n",
				 &r));
	assert_string_equal(r.reason, "global function calls are not allowed while holding a lock, "
				      "use static function instead");
	assert_true(refusal_find("1: (71) r0 = *(u8 *)(r1 +0)\n"
				 "invalid access to packet, off=0 size=1, R1(id=0,off=0,r=0)\n"
				 "R1 offset is outside of the packet\n"
				 "processed 2 insns (limit 1000000)\n",
				 &r));
	assert_string_equal(r.reason, "invalid access to packet, off=0 size=1, R1(id=0,off=0,r=0); "
				      "R1 offset is outside of the packet");
}

/* Something said on the way is no part of it. */
static void earlier_messages_are_left_out(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find("Func#1 ('slow') is global and assumed valid.\n"
				 "4: (95) exit\n"
				 "R0 !read_ok\n"
				 "processed 8 insns (limit 1000000)\n",
				 &r));
	assert_string_equal(r.reason, "R0 !read_ok");
}

#define AA_REPORT                                                                        \
	"; if (!res_spin_lock(&a)) @ aa.bpf.c:5\n"                                       \
	"8: (85) call bpf_res_spin_lock#71560\n"                                         \
	"Acquiring the same lock again, AA deadlock detected\n"                          \
	"\n"                                                                             \
	"Verification failed: Resource Lifetime Safety: Recursive resource spin lock\n"  \
	"\n"                                                                             \
	"Reason:\n"                                                                      \
	"  This path already holds the same resource spin lock. Taking it again would\n" \
	"  deadlock.\n"                                                                  \
	"\n"                                                                             \
	"At:\n"                                                                          \
	"  p @ aa.bpf.c:5:7\n"                                                           \
	"  Source context:\n"                                                            \
	"  >>> 5 | if (!res_spin_lock(&a))\n"                                            \
	"        | ^-- error: recursive resource spin lock\n"                            \
	"  Instruction context:\n"                                                       \
	"  >>>  8 | (85) call bpf_res_spin_lock#71560\n"                                 \
	"\n"                                                                             \
	"Active lock:\n"                                                                 \
	"  p @ aa.bpf.c:3:44\n"                                                          \
	"  Source context:\n"                                                            \
	"  >>> 3 | if (res_spin_lock(&a)) /* mail @ home:1 */\n"                         \
	"        | ^-- acquired: active resource spin lock has verifier identity 0\n"    \
	"\n"                                                                             \
	"Suggestion:\n"                                                                  \
	"  Avoid reacquiring the same resource spin lock before it is unlocked.\n"       \
	"\n"                                                                             \
	"processed 7 insns (limit 1000000) max_states_per_insn 0\n"

static void report_behind_the_message(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find(AA_REPORT, &r));
	assert_string_equal(r.reason, "Acquiring the same lock again, AA deadlock detected");
	assert_string_equal(r.cause, "This path already holds the same resource spin lock. Taking "
				     "it again would deadlock.");
	assert_string_equal(r.at, "aa.bpf.c:5");
	assert_string_equal(r.lock_at, "aa.bpf.c:3");
	assert_string_equal(r.suggestion,
			    "Avoid reacquiring the same resource spin lock before it is unlocked.");
	assert_int_equal(r.nr_steps, 0);
}

#define LEAK_REPORT                                                                       \
	"16: (95) exit\n"                                                                 \
	"Unreleased reference id=2 alloc_insn=5\n"                                        \
	"\n"                                                                              \
	"Verification failed: Resource Lifetime Safety: Unreleased resource\n"            \
	"\n"                                                                              \
	"Reason:\n"                                                                       \
	"  Owned resource (id=2) still needs to be released.\n"                           \
	"\n"                                                                              \
	"At:\n"                                                                           \
	"  p @ leak.bpf.c:9:1\n"                                                          \
	"\n"                                                                              \
	"Causal path:\n"                                                                  \
	"  p @ leak.bpf.c:4:13\n"                                                         \
	"  Source context:\n"                                                             \
	"  >>> 4 | p = bpf_ringbuf_reserve(&rb, 8, 0);\n"                                 \
	"        | ^-- update: R0 changed from uninitialized value to nullable memory\n"  \
	"        |     with variable offset\n"                                            \
	"  Instruction context:\n"                                                        \
	"  >>>  5 | (85) call bpf_ringbuf_reserve#131\n"                                  \
	"\n"                                                                              \
	"  p @ leak.bpf.c:6:5\n"                                                          \
	"  Source context:\n"                                                             \
	"        | ^-- branch: took the true branch of this conditional, goto followed\n" \
	"\n"                                                                              \
	"Suggestion:\n"                                                                   \
	"  Release it on every path.\n"                                                   \
	"\n"                                                                              \
	"BPF_EXIT instruction in main prog would lead to reference leak\n"                \
	"processed 14 insns (limit 1000000)\n"

static void report_within_the_message(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find(LEAK_REPORT, &r));
	assert_string_equal(r.reason,
			    "Unreleased reference id=2 alloc_insn=5; BPF_EXIT instruction in "
			    "main prog would lead to reference leak");
	assert_string_equal(r.suggestion, "Release it on every path.");
	assert_int_equal(r.nr_steps, 2);
	assert_string_equal(r.steps[0].at, "leak.bpf.c:4");
	assert_string_equal(r.steps[0].what,
			    "update: R0 changed from uninitialized value to nullable memory with "
			    "variable offset");
	assert_string_equal(r.steps[1].what,
			    "branch: took the true branch of this conditional, goto followed");
}

static void steps_are_bounded_and_counted(void **state)
{
	char log[REFUSAL_STEPS * 60 + 400];
	struct refusal r;
	int len;

	(void)state;
	len = snprintf(log, sizeof(log), "R0 !read_ok\nVerification failed: x\nCausal path:\n");
	for (int i = 0; i < REFUSAL_STEPS + 3; i++)
		len += snprintf(log + len, sizeof(log) - len, "  p @ a.c:%d:1\n  | ^-- x %d\n", i,
				i);
	snprintf(log + len, sizeof(log) - len, "processed 1 insns\n");
	assert_true(refusal_find(log, &r));
	assert_int_equal(r.nr_steps, REFUSAL_STEPS);
	assert_int_equal(r.more_steps, 3);
	assert_string_equal(r.steps[REFUSAL_STEPS - 1].what, "x 11");
}

static void call_of_an_absent_function(void **state)
{
	struct refusal r;

	(void)state;
	assert_true(refusal_find("16: (85) call unknown#2002000001\n"
				 "function calls are not allowed while holding a lock\n"
				 "processed 9 insns (limit 1000000)\n",
				 &r));
	assert_true(r.absent_call);
	assert_true(refusal_find(AA_REPORT, &r));
	assert_false(r.absent_call);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(last_message_is_the_reason),
	cmocka_unit_test(states_are_no_reason),
	cmocka_unit_test(older_kernels_name_no_file),
	cmocka_unit_test(no_log_is_no_refusal),
	cmocka_unit_test(lines_of_a_message_are_joined),
	cmocka_unit_test(earlier_messages_are_left_out),
	cmocka_unit_test(report_behind_the_message),
	cmocka_unit_test(report_within_the_message),
	cmocka_unit_test(steps_are_bounded_and_counted),
	cmocka_unit_test(call_of_an_absent_function),
};

UNIT_GROUP(refusal, tests)
