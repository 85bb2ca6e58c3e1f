// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "names/ksyms.h"
#include "names/progaddr.h"
#include "names/proginfo.h"
#include "events/sources/told.h"
#include "events/source.h"
#include "events/session.h"
#include "unit.h"
#include "events/sources/witness_ring.h"

static struct witness_told witness_make(__u32 kind, __s16 owner)
{
	return (struct witness_told){ .w = {
					      .kind = WITNESS_FAILURE,
					      .lock = 0xa0,
					      .err = kind == RQSPIN_TIMEOUT ? -ETIMEDOUT : -EDEADLK,
					      .wait_ns = 77,
					      .cpu = 2,
					      .comm = "task",
					      .told = kind,
					      .owner = owner,
				      } };
}

static void an_aa_holds_what_it_wants(void **state)
{
	struct witness_told w = witness_make(RQSPIN_AA, 2);
	struct failure f = { 0 };

	(void)state;
	told_failure(&w, NULL, &f);
	assert_int_equal(f.ev.kind, RQSPIN_AA);
	assert_int_equal(f.ev.parties, 1);
	assert_int_equal(f.ev.err, -EDEADLK);
	assert_int_equal(f.ev.wait_ns, 77);
	assert_int_equal(f.ev.owner_cpu, 2);
	assert_int_equal(f.ev.held[0], 0xa0);
	assert_true(f.told && f.some_held);
	assert_int_equal(f.nr_chain, 0);
}

static void an_owner_has_the_task_that_runs_there(void **state)
{
	struct witness_told w = witness_make(RQSPIN_TIMEOUT, 3);
	struct failure f = { 0 }, unread = { 0 };

	(void)state;
	w.owner = (struct witness_task){ .pid = 70, .tid = 71, .comm = "other" };
	told_failure(&w, NULL, &f);
	assert_true(f.owner.known);
	assert_int_equal(f.owner.pid, 70);
	assert_int_equal(f.owner.tid, 71);
	assert_string_equal(f.owner.comm, "other");
	w.owner.pid = WITNESS_NO_TASK;
	told_failure(&w, NULL, &unread);
	assert_false(unread.owner.known);
}

static void a_cycle_is_shown_as_it_was(void **state)
{
	struct witness_told w = witness_make(RQSPIN_CYCLE, 3);
	struct witness_chain d = { 0 };
	struct failure f = { 0 };

	(void)state;
	w.w.nr_hops = 2;
	w.w.locks[0] = 0xb0;
	w.w.locks[1] = 0xc0;
	d.hops[0] = (struct witness_hop){ .cpu = 3, .lock = 0xb0 };
	d.hops[1] = (struct witness_hop){ .cpu = 5, .lock = 0xc0 };
	told_failure(&w, &d, &f);
	assert_int_equal(f.ev.parties, 3);
	assert_int_equal(f.nr_chain, 2);
	assert_int_equal(f.chain[1].cpu, 5);
	assert_int_equal(f.chain[1].wants, 0xc0);
	/* The owner wants the next one's, the last one wants ours. */
	assert_int_equal(f.ev.owner_wants, 0xb0);
	assert_int_equal(f.ev.owner_held[0], 0xa0);
	assert_int_equal(f.ev.nr_held, 1);
	assert_int_equal(f.ev.held[0], 0xc0);
}

static void what_the_lock_does_not_tell_is_unknown(void **state)
{
	struct witness_told w = witness_make(RQSPIN_TIMEOUT, -1);
	struct failure f = { 0 };

	(void)state;
	told_failure(&w, NULL, &f);
	assert_int_equal(f.ev.owner_cpu, -1);
	assert_int_equal(f.ev.nr_held, HELD_UNKNOWN);
	assert_int_equal(f.ev.nr_owner_held, HELD_UNKNOWN);
	assert_int_equal(f.ev.parties, 0);
	w = witness_make(99, -1);
	told_failure(&w, NULL, &f);
	assert_int_equal(f.ev.kind, RQSPIN_UNKNOWN);
}

/* In a burst: the ends of the chain are in the record. */
static void without_details_a_cycle_keeps_its_ends(void **state)
{
	struct witness_told w = witness_make(RQSPIN_CYCLE, 3);
	struct failure f = { 0 };

	(void)state;
	w.w.nr_hops = 2;
	w.w.locks[0] = 0xb0;
	w.w.locks[1] = 0xc0;
	told_failure(&w, NULL, &f);
	assert_int_equal(f.ev.parties, 3);
	assert_int_equal(f.nr_chain, 0);
	assert_int_equal(f.ev.owner_wants, 0xb0);
	assert_int_equal(f.ev.held[0], 0xc0);
	w.w.kind = RQSPIN_ABBA;
	w.w.nr_hops = 1;
	w.first = (struct witness_hop){ .lock = 0xb0, .ip = 0x1234, .cpu = 3, .tid = 7 };
	f = (struct failure){ 0 };
	told_failure(&w, NULL, &f);
	assert_int_equal(f.nr_chain, 1);
	assert_int_equal(f.chain[0].cpu, 3);
	assert_int_equal(f.chain[0].tid, 7);
	assert_int_equal(f.chain[0].wants, 0xb0);
	assert_int_equal(f.chain[0].at, 0x1234);
}

static void a_longer_chain_than_expected_is_cut(void **state)
{
	struct witness_chain d = { 0 };
	struct witness_told w = witness_make(RQSPIN_CYCLE, 3);
	struct failure f = { 0 };

	(void)state;
	w.w.nr_hops = 1000;
	told_failure(&w, &d, &f);
	assert_int_equal(f.nr_chain, CHAIN_HOPS);
}

static void a_return_address_is_of_the_line_of_its_call(void **state)
{
	__u64 funcs[] = { 0x1000, 0x3000 }, lines[] = { 0x1000, 0x1010, 0x1020, 0x3000 };
	__u32 sizes[] = { 0x30, 0x10 }, nth = 9;
	struct progaddr pa = { funcs, sizes, 2, lines, 4 };

	(void)state;
	assert_true(progaddr_find(&pa, 0x1020, &nth)); /* the call ends the line before */
	assert_int_equal(nth, 1);
	assert_true(progaddr_find(&pa, 0x1021, &nth));
	assert_int_equal(nth, 2);
	assert_true(progaddr_find(&pa, 0x3010, &nth)); /* behind a call that never returns */
	assert_int_equal(nth, 3);
	assert_false(progaddr_find(&pa, 0x1000, &nth));
	assert_false(progaddr_find(&pa, 0x1031, &nth));
	assert_false(progaddr_find(&pa, 0x3011, &nth));
	pa.nr_lines = 0;
	assert_true(progaddr_find(&pa, 0x1021, &nth));
	assert_int_equal(nth, PROGADDR_NO_LINE);
}

static const char symbols[] = "ffffffff81000000 T _text\n"
			      "ffffffff81000100 t some_function\n"
			      "ffffffff81000200 t handle_softirqs\n"
			      "ffffffff81000300 t __bpf_trace_rqspinlock_failure\n"
			      "ffffffff81a00000 T asm_exc_nmi\n"
			      "ffffffff81a00100 T entry_SYSCALL_64\n"
			      "ffffffff82000000 D a_lock\n"
			      "ffffffff82000040 b other\n"
			      "0000000000001000 A per_cpu\n"
			      "ffffffffc0000000 b rqs_locks\t[stress]\n"
			      "ffffffffc0200000 t bpf_prog_0123456789abcdef_x\t[bpf]\n";

static struct ksyms *open_symbols(void)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	static char path[32];
	struct ksyms *ks;

	assert_int_equal(write(fd, symbols, strlen(symbols)), strlen(symbols));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ks = ksyms_of("/dev/null", path);
	close(fd);
	return ks;
}

static void variables_and_functions_are_told_apart(void **state)
{
	struct ksyms *ks = open_symbols();
	bool data;
	__u64 off;

	(void)state;
	assert_string_equal(ksyms_find(ks, 0xffffffff82000008, &off, &data), "a_lock");
	assert_true(data && off == 8);
	assert_string_equal(ksyms_find(ks, 0xffffffff81000100, &off, &data), "some_function");
	assert_false(data);
	assert_string_equal(ksyms_find(ks, 0xffffffffc0000200, &off, &data), "rqs_locks");
	assert_true(data && off == 0x200);
	/* Too far behind the last one, programs, and what is before everything. */
	assert_null(ksyms_find(ks, 0xffffffffc0200008, &off, &data));
	assert_null(ksyms_find(ks, 0xffff888100000000, &off, &data));
	assert_null(ksyms_find(ks, 0x1008, &off, &data));
	ksyms_close(ks);
}

#define OWN 7

/* Whose program is it, with the tracer's own at 0x9000 and the other at 0x1000? */
static bool program_behind(const __u64 *stack, size_t nr, __u32 own_id, struct failure *f)
{
	__u64 funcs[] = { 0x1000 }, own_funcs[] = { 0x9000 };
	__u32 sizes[] = { 0x100 };
	struct proginfo own = { .id = OWN, .own = true, .code = { own_funcs, sizes, 1, NULL, 0 } };
	struct proginfo other = { .id = 5, .code = { funcs, sizes, 1, NULL, 0 }, .next = &own };
	struct ksyms *ks = open_symbols();
	struct witness_told w = witness_make(RQSPIN_AA, 2);
	bool known;

	w.stack_len = nr * sizeof(*stack);
	memcpy(w.stack, stack, nr * sizeof(*stack));
	memset(f, 0, sizeof(*f));
	known = told_program(&w, NULL, &other, ks, own_id, f);
	ksyms_close(ks);
	return known;
}

static bool program_of(const __u64 *stack, size_t nr, struct failure *f)
{
	return program_behind(stack, nr, OWN, f);
}

/* The first frame behind the tracer's has no name: it is newer than the list of symbols. */
static void a_trampoline_is_no_unknown_program(void **state)
{
	const __u64 asked[] = { 0x9010, 0x5000, 0xffffffff81000110, 0x1010 };
	const __u64 unknown[] = { 0x9010, 0x5000, 0x6000, 0x1010 };
	struct failure f;

	(void)state;
	assert_true(program_behind(asked, 4, 0, &f));
	assert_int_equal(f.prog_id, 5);
	assert_false(program_behind(unknown, 4, 0, &f));
	assert_null(f.prog);
}

static void the_innermost_program_called_for_the_lock(void **state)
{
	const __u64 asked[] = { 0x9010, 0xffffffff81000110, 0x1010 };
	const __u64 none[] = { 0x9010, 0xffffffff81000110 };
	struct failure f;

	(void)state;
	assert_true(program_of(asked, 3, &f));
	assert_int_equal(f.prog_id, 5);
	assert_true(program_of(none, 2, &f));
	assert_int_equal(f.prog_id, 0);
}

static void an_interrupted_program_did_not_call(void **state)
{
	const __u64 nmi[] = { 0x9010, 0xffffffff81000110, 0xffffffff81a00010, 0x1010 };
	const __u64 softirq[] = { 0x9010, 0xffffffff81000110, 0xffffffff81000210, 0x1010 };
	struct failure f;

	(void)state;
	assert_true(program_of(nmi, 4, &f));
	assert_int_equal(f.prog_id, 0);
	/* Nor did one whose helper let interrupts be served. */
	assert_true(program_of(softirq, 4, &f));
	assert_int_equal(f.prog_id, 0);
}

static void a_trace_begins_behind_the_tracing(void **state)
{
	__u64 funcs[] = { 0x1000 };
	__u32 sizes[] = { 0x100 };
	struct proginfo prog = { .id = 5,
				 .full_name = "mine",
				 .code = { funcs, sizes, 1, NULL, 0 } };
	struct ksyms *ks = open_symbols();
	struct witness_told w = witness_make(RQSPIN_AA, 2);
	char *text;

	(void)state;
	w.stack[0] = 0x9010;
	w.stack[1] = 0xffffffff81000310;
	w.stack[2] = 0xffffffff81000110;
	w.stack[3] = 0x1010;
	w.stack[4] = 0x7;
	w.stack_len = 5 * sizeof(w.stack[0]);
	text = told_trace(&w, NULL, &prog, ks);
	assert_string_equal(text, "Call trace:\n some_function+0x10\n program 5 mine\n ?\n");
	free(text);
	w.stack[1] = 0x7;
	assert_null(told_trace(&w, NULL, &prog, ks));
	w.stack_len = -14;
	assert_null(told_trace(&w, NULL, &prog, ks));
	ksyms_close(ks);
}

static void a_stack_that_cannot_be_read_proves_nothing(void **state)
{
	const __u64 hidden[] = { 0xffffffff81000110, 0xffffffff81000120 };
	const __u64 unknown[] = { 0x9010, 0xffffffff81000110, 0x7 };
	__u64 deep[WITNESS_FRAMES] = { 0x9010 };
	struct failure f;

	(void)state;
	for (int i = 1; i < WITNESS_FRAMES; i++)
		deep[i] = 0xffffffff81000110;
	/* A program that is gone again? */
	assert_false(program_of(unknown, 3, &f));
	assert_false(program_of(hidden, 2, &f));
	assert_false(program_of(hidden, 0, &f));
	assert_false(program_of(deep, WITNESS_FRAMES, &f)); /* there may be more */
	assert_true(program_of(deep, WITNESS_FRAMES - 1, &f));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_aa_holds_what_it_wants),
	cmocka_unit_test(an_owner_has_the_task_that_runs_there),
	cmocka_unit_test(a_cycle_is_shown_as_it_was),
	cmocka_unit_test(what_the_lock_does_not_tell_is_unknown),
	cmocka_unit_test(without_details_a_cycle_keeps_its_ends),
	cmocka_unit_test(a_longer_chain_than_expected_is_cut),
	cmocka_unit_test(a_return_address_is_of_the_line_of_its_call),
	cmocka_unit_test(variables_and_functions_are_told_apart),
	cmocka_unit_test(the_innermost_program_called_for_the_lock),
	cmocka_unit_test(a_trampoline_is_no_unknown_program),
	cmocka_unit_test(an_interrupted_program_did_not_call),
	cmocka_unit_test(a_trace_begins_behind_the_tracing),
	cmocka_unit_test(a_stack_that_cannot_be_read_proves_nothing),
};

UNIT_GROUP(told, tests)
