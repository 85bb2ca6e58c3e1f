// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/sources/report_parse.h"
#include "events/session.h"
#include "unit.h"

#define AA                                                            \
	"ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock\n" \
	"Attempted lock   = 0xff23a5e4c2ac497c\n"                     \
	"Total held locks = 2\n"                                      \
	"Held lock[ 0] = 0xff23a5e4c2ac497c\n"                        \
	"Held lock[ 1] = 0xff23a5e4c2ac4000\n"                        \
	"CPU: 2 UID: 0 PID: 154 Comm: my tool\n"                      \
	"Call trace:\n"                                               \
	"bpf_res_spin_lock+0x8f/0xd0\n"                               \
	"bpf_prog_f4341053c9676354_plain_aa+0xe2/0x104\n"             \
	"  err = bpf_res_spin_lock(&again->lock); @ plain.bpf.c:81\n" \
	"bpf_test_run+0x25d/0x460\n"                                  \
	"  other @ outer.c:7\n"                                       \
	"\n"
#define TIMEOUT                                                   \
	"ERROR: Timeout detected for bpf_res_spin_lock_irqsave\n" \
	"Attempted lock   = 0xffff888100000010\n"                 \
	"Total held locks = 0\n"                                  \
	"CPU: 0 UID: 0 PID: 7 Comm: x\n"                          \
	"\n"

static void everything_in_a_report_is_read(void **state)
{
	struct failure f = { 0 };

	(void)state;
	assert_int_equal(report_parse(AA, strlen(AA), &f), 0);
	assert_int_equal(f.ev.err, -EDEADLK);
	assert_int_equal(f.ev.lock, 0xff23a5e4c2ac497cULL);
	assert_int_equal(f.ev.nr_held, 2);
	assert_int_equal(f.ev.held[1], 0xff23a5e4c2ac4000ULL);
	assert_int_equal(f.ev.cpu, 2);
	assert_int_equal(f.ev.tid, 154);
	assert_string_equal(f.ev.comm, "my tool");
	assert_int_equal(f.ev.line, 81);
	assert_string_equal(f.file, "plain.bpf.c");
}

#define CUT                                                           \
	"ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock\n" \
	"Attempted lock   = 0xff23a5e4c2ac497c\n"                     \
	"Total held locks = 0\n"                                      \
	"bpf_prog_f4341053c9676354_inner+0xe2/0x104\n"                \
	"  err = bpf_res_spin_lock(&again->lock); and so on\n"        \
	"bpf_prog_f4341053c9676354_outer+0xe2/0x104\n"                \
	"  inner(&again->lock) @ plain.bpf.c:99\n"                    \
	"\n"

static void the_callers_line_is_not_the_calls(void **state)
{
	struct failure f = { 0 };

	(void)state;
	assert_int_equal(report_parse(CUT, strlen(CUT), &f), 0);
	assert_int_equal(f.ev.line, 0);
	assert_string_equal(f.file, "");
}

#define PATCHED                                                       \
	"ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock\n" \
	"Attempted lock   = 0xff23a5e4c2ac497c\n"                     \
	"Total held locks = 1\n"                                      \
	"Held lock[ 0] = 0xff23a5e4c2ac4000\n"                        \
	"Kind             = CYCLE of 3, 12345 ns, owner CPU 2\n"      \
	"CPU: 1 UID: 0 PID: 154 Comm: of kind, owner CPU 7\n"         \
	"\n"

static void the_patched_kernel_names_the_kind(void **state)
{
	struct failure f = { 0 };

	(void)state;
	assert_int_equal(report_parse(PATCHED, strlen(PATCHED), &f), 0);
	assert_true(f.told);
	assert_true(f.some_held);
	assert_int_equal(f.ev.kind, RQSPIN_CYCLE);
	assert_int_equal(f.ev.parties, 3);
	assert_int_equal(f.ev.wait_ns, 12345);
	assert_int_equal(f.ev.owner_cpu, 2);
	assert_true(f.some_owner_held);
	assert_int_equal(f.ev.nr_owner_held, 1);
	assert_int_equal(f.ev.owner_held[0], f.ev.lock);
	assert_int_equal(f.ev.cpu, 1);
	assert_int_equal(f.ev.nr_held, 1);
}

#define NINE_HELD(attempted, nr)                                      \
	"ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock\n" \
	"Attempted lock   = " attempted "\n"                          \
	"Total held locks = " nr "\n"                                 \
	"Held lock[ 0] = 0xff10\nHeld lock[ 1] = 0xff11\n"            \
	"Held lock[ 2] = 0xff12\nHeld lock[ 3] = 0xff13\n"            \
	"Held lock[ 4] = 0xff14\nHeld lock[ 5] = 0xff15\n"            \
	"Held lock[ 6] = 0xff16\nHeld lock[ 7] = 0xff17\n"            \
	"Held lock[ 8] = 0xff18\n"                                    \
	"CPU: 1 UID: 0 PID: 154 Comm: x\n"                            \
	"\n"

static void assert_kind(const char *report, enum rqspin_kind kind, __u32 parties, int owner)
{
	struct failure f = { .ev.owner_cpu = -1 };

	assert_int_equal(report_parse(report, strlen(report), &f), 0);
	assert_false(f.told);
	assert_int_equal(f.ev.kind, kind);
	assert_int_equal(f.ev.parties, parties);
	assert_int_equal(f.ev.owner_cpu, owner);
}

static void all_locks_of_the_text_tell_the_kind(void **state)
{
	(void)state;
	assert_true(RQSPIN_EVENT_HELD < 9);
	assert_kind(AA, RQSPIN_AA, 1, 2);
	assert_kind(TIMEOUT, RQSPIN_TIMEOUT, 0, -1);
	assert_kind(CUT, RQSPIN_UNKNOWN, 0, -1);
	assert_kind(NINE_HELD("0xff18", "9"), RQSPIN_AA, 1, 1);
	assert_kind(NINE_HELD("0xff20", "9"), RQSPIN_ABBA, 2, -1);
	assert_kind(NINE_HELD("0xff18", "40"), RQSPIN_AA, 1, 1);
	assert_kind(NINE_HELD("0xff20", "40"), RQSPIN_UNKNOWN, 0, -1);
}

static void timeout_of_the_irqsave_form(void **state)
{
	struct failure f = { 0 };

	(void)state;
	assert_int_equal(report_parse(TIMEOUT, strlen(TIMEOUT), &f), 0);
	assert_int_equal(f.ev.err, -ETIMEDOUT);
	assert_int_equal(f.ev.nr_held, 0);
	assert_int_equal(f.ev.line, 0);
}

static void reports_are_found_between_other_text(void **state)
{
	const char *text = "mine\n" AA "ERROR: Arena WRITE access\n\n" TIMEOUT "half a li";
	const char *begin, *end;

	(void)state;
	begin = report_find(text, 0, &end);
	assert_ptr_equal(begin, text + strlen("mine\n"));
	assert_int_equal(end - begin, strlen(AA));
	begin = report_find(end, 0, &end);
	assert_int_equal(end - begin, strlen(TIMEOUT));
	assert_null(report_find(end, 1, &end));
}

static void a_program_may_write_any_byte(void **state)
{
	static const char more[] = "0\0" AA "\0";
	const char *begin, *end;
	char *text = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(report_append(&text, &len, "\0\n1", 3), 0);
	assert_int_equal(report_append(&text, &len, more, sizeof(more)), 0);
	assert_int_equal(len, strlen("?\n10?" AA "??"));
	assert_string_equal(text, "?\n10?" AA "??");
	assert_int_equal(report_append(&text, &len, "\n" TIMEOUT, strlen("\n" TIMEOUT)), 0);
	begin = report_find(text, 0, &end);
	assert_non_null(begin);
	assert_memory_equal(begin, TIMEOUT, end - begin);
	free(text);
}

/* Nothing else is kept of a program that never stops writing. */
static void only_what_is_not_complete_waits(void **state)
{
	const char *text = "mine\nhalf a li", *report = "mine\nERROR: Timeout detected for "
							"bpf_res_spin_lock\nAttempted";

	(void)state;
	assert_string_equal(report_rest(text), "half a li");
	assert_string_equal(report_rest("mine\n"), "");
	assert_string_equal(report_rest("ERROR: AA or"), "ERROR: AA or");
	assert_ptr_equal(report_rest(report), report + strlen("mine\n"));
}

static void half_a_report_waits(void **state)
{
	char half[] = AA;
	const char *end;

	(void)state;
	half[strlen(AA) - 20] = 0;
	assert_null(report_find(half, 0, &end));
	assert_ptr_equal(report_find(half, 1, &end), half);
}

#define NUMBERS_MISSING                                   \
	"ERROR: Timeout detected for bpf_res_spin_lock\n" \
	"Attempted lock   = \n"                           \
	"\n"                                              \
	"0xff23a5e4c2ac497c\n"

static void a_number_is_not_on_the_next_line(void **state)
{
	const char *text = NUMBERS_MISSING, *end;
	struct failure f = { 0 };

	(void)state;
	assert_ptr_equal(report_find(text, 0, &end), text);
	assert_int_equal(report_parse(text, end - text, &f), -EINVAL);
	assert_int_equal(f.ev.lock, 0);
}

static void other_text_is_no_report(void **state)
{
	static const char head[] = "ERROR: Timeout detected for bpf_res_spin_lock\n\n";
	struct failure f = { 0 };

	(void)state;
	assert_int_equal(report_parse("hello\n", 6, &f), -EINVAL);
	assert_int_equal(report_parse(head, sizeof(head) - 1, &f), -EINVAL);
}

static void a_report_without_its_first_line_is_known(void **state)
{
	const char *second = strchr(AA, '\n') + 1, *end;

	(void)state;
	assert_null(report_find(second, 1, &end));
	assert_true(report_headless(second));
	assert_false(report_headless(AA));
	assert_false(report_headless("Attempted lock\n"));
}

/* Neither the first one's end nor the next one's first line: the kernel had no memory for both. */
static void two_reports_are_not_one(void **state)
{
	char text[2 * sizeof(AA)];
	const char *end, *second = strchr(TIMEOUT, '\n') + 1;
	struct failure f = { 0 };

	(void)state;
	snprintf(text, sizeof(text), "%.*s%s", (int)(strstr(AA, "bpf_test_run") - AA), AA, second);
	assert_ptr_equal(report_find(text, 0, &end), text);
	assert_true(report_headless(end));
	assert_int_equal(report_parse(text, end - text, &f), 0);
	assert_int_equal(f.ev.lock, 0xff23a5e4c2ac497cULL);
}

static void drops_are_those_of_the_error_stream(void **state)
{
	__u64 n = 5;

	(void)state;
	assert_false(report_parse_dropped("stdout_dropped:\t9\n", &n));
	assert_false(report_parse_dropped("stderr_dropped:\t\n", &n));
	assert_false(report_parse_dropped("prog_id:\t3\n", &n));
	assert_int_equal(n, 5);
	assert_true(report_parse_dropped("stderr_dropped:\t17\n", &n));
	assert_int_equal(n, 17);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(everything_in_a_report_is_read),
	cmocka_unit_test(the_callers_line_is_not_the_calls),
	cmocka_unit_test(the_patched_kernel_names_the_kind),
	cmocka_unit_test(all_locks_of_the_text_tell_the_kind),
	cmocka_unit_test(timeout_of_the_irqsave_form),
	cmocka_unit_test(reports_are_found_between_other_text),
	cmocka_unit_test(a_program_may_write_any_byte),
	cmocka_unit_test(only_what_is_not_complete_waits),
	cmocka_unit_test(half_a_report_waits),
	cmocka_unit_test(a_number_is_not_on_the_next_line),
	cmocka_unit_test(other_text_is_no_report),
	cmocka_unit_test(a_report_without_its_first_line_is_known),
	cmocka_unit_test(two_reports_are_not_one),
	cmocka_unit_test(drops_are_those_of_the_error_stream),
};

UNIT_GROUP(report_parse, tests)
