// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "names/proginfo.h"
#include "events/join.h"
#include "unit.h"
#include "events/sources/contention.h"
#include "events/sources/longwaits.h"
#include "events/sources/mapops.h"
#include "events/sources/ring.h"
#include "events/sources/tracepoint.h"
#include "events/sources/trampoline.h"

struct seen {
	int nr;
	struct failure f[8];
	char report[8][16];
};

/* The report is freed when it returns. */
static void failure_note(const struct failure *f, void *ctx)
{
	struct seen *s = ctx;

	s->f[s->nr] = *f;
	snprintf(s->report[s->nr++], sizeof(s->report[0]), "%s", f->report ? f->report : "");
}

static struct failure failure_make(const struct source *src, __u32 cpu, __u64 lock)
{
	return (struct failure){
		.source = src,
		.prog_id = 5,
		.ev = { .err = -EDEADLK,
			.cpu = cpu,
			.tid = 9,
			.lock = lock,
			.owner_cpu = -1,
			.wait_ns = WAIT_UNKNOWN },
	};
}

static void two_reports_of_one_failure_are_one(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	tramp.ev.kind = RQSPIN_ABBA;
	tramp.ev.parties = 2;
	tramp.ev.owner_cpu = 3;
	tramp.owner = (struct failure_task){ .known = true, .pid = 70, .comm = "other" };
	ring.ev.line = 77;
	join_push(j, &ring, false);
	join_push(j, &tramp, true);
	join_flush(j, false);
	assert_int_equal(seen.nr, 1);
	assert_ptr_equal(seen.f[0].source, &source_ring);
	assert_ptr_equal(seen.f[0].joined, &source_trampoline);
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_ABBA);
	assert_int_equal(seen.f[0].ev.owner_cpu, 3);
	assert_true(seen.f[0].owner.known);
	assert_string_equal(seen.f[0].owner.comm, "other");
	assert_int_equal(seen.f[0].ev.line, 77);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	join_close(j);
}

static void repeated_failures_stay_apart(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	for (int i = 0; i < 3; i++)
		join_push(j, &tramp, true);
	for (int i = 0; i < 2; i++)
		join_push(j, &ring, false);
	join_flush(j, false);
	assert_int_equal(seen.nr, 2);
	/* What nobody else reported comes out by itself. */
	join_flush(j, true);
	assert_int_equal(seen.nr, 3);
	assert_ptr_equal(seen.f[2].source, &source_trampoline);
	join_close(j);
}

static void other_locks_cpus_and_threads_do_not_match(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10);
	struct failure others[] = { failure_make(&source_trampoline, 1, 0x20),
				    failure_make(&source_trampoline, 2, 0x10),
				    failure_make(&source_trampoline, 1, 0x10) };

	(void)state;
	others[2].ev.tid = 8;
	for (int i = 0; i < 3; i++)
		join_push(j, &others[i], true);
	join_push(j, &ring, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 4);
	join_close(j);
}

static void a_report_survives_a_source_without_one(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);
	struct failure partial = failure_make(&source_contention, 1, 0x10);

	(void)state;
	tramp.report = strdup("kernel's text");
	partial.ev.kind = RQSPIN_CYCLE;
	partial.ev.parties = 3;
	partial.sampled = true;
	join_push(j, &tramp, false);
	join_push(j, &partial, true);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	assert_ptr_equal(seen.f[0].joined, &source_contention);
	assert_string_equal(seen.report[0], "kernel's text");
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_CYCLE);
	assert_true(seen.f[0].sampled);
	join_close(j);
}

static struct failure in_queue(__u64 ts, __u64 lock, __u32 map)
{
	struct failure f = failure_make(&source_contention, 1, lock);

	f.prog_id = 0;
	f.ev.ts_ns = ts;
	f.map_id = map;
	return f;
}

static struct failure map_op(__u64 ts, __u32 map)
{
	struct failure f = in_queue(ts, 0, map);

	f.source = &source_mapops;
	return f;
}

/* How many failures two reports are, of which the first waits for the second. */
static int count_joined(const struct failure *first, const struct failure *second)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);

	join_push(j, first, true);
	join_push(j, second, false);
	join_flush(j, true);
	join_close(j);
	return seen.nr;
}

static void an_operation_takes_what_failed_inside_it(void **state)
{
	struct failure op = map_op(1000000000, 7), f = in_queue(900000000, 0x10, 7);

	(void)state;
	assert_int_equal(count_joined(&f, &op), 1);
	f = in_queue(900000000, 0x10, 8); /* another map's lock */
	assert_int_equal(count_joined(&f, &op), 2);
	f = in_queue(1000000001, 0x10, 7); /* later */
	assert_int_equal(count_joined(&f, &op), 2);
	f = in_queue(999999999, 0x10, 0); /* a program's lock */
	f.prog_lock = true;
	assert_int_equal(count_joined(&f, &op), 2);
	/* A lock without a name: at the end of the operation only. */
	f = in_queue(999100000, 0x10, 0);
	assert_int_equal(count_joined(&f, &op), 1);
	f = in_queue(998900000, 0x10, 0);
	assert_int_equal(count_joined(&f, &op), 2);
}

static void an_interrupts_operation_takes_its_own(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure outer = in_queue(100, 0x10, 7), inner = in_queue(200, 0x20, 7);
	struct failure inner_op = map_op(300, 7), outer_op = map_op(400, 7);

	(void)state;
	join_push(j, &outer, true);
	join_push(j, &inner, true);
	join_push(j, &inner_op, false);
	join_push(j, &outer_op, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(seen.f[0].ev.ts_ns, 300);
	assert_int_equal(seen.f[0].ev.lock, 0x20);
	assert_int_equal(seen.f[1].ev.lock, 0x10);
	join_close(j);
}

/* What a failure that waits points to is not forgotten meanwhile. */
static void a_waiting_failure_keeps_its_program(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);
	struct failure partial = in_queue(1, 0x10, 0);
	struct proginfo prog = { .id = 5 };

	(void)state;
	tramp.prog = &prog;
	join_push(j, &tramp, true);
	join_flush(j, false);
	assert_int_equal(prog.users, 1);
	join_flush(j, true);
	assert_int_equal(prog.users, 0);
	/* Joined with another, or never handed out. */
	partial.prog = &prog;
	join_push(j, &partial, true);
	join_push(j, &tramp, false);
	join_flush(j, false);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(prog.users, 0);
	join_push(j, &tramp, true);
	join_close(j);
	assert_int_equal(prog.users, 0);
}

/* The first failure's report was overwritten: it must not get the other side of the second. */
static void a_lost_report_is_not_replaced_by_the_next(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	ring.ev.ts_ns = 100;
	join_push(j, &ring, false);
	ring.ev.ts_ns = 200;
	join_push(j, &ring, false);
	tramp.ev.ts_ns = 210;
	join_push(j, &tramp, true);
	join_flush(j, true);
	assert_int_equal(seen.nr, 2);
	assert_null(seen.f[0].joined);
	assert_ptr_equal(seen.f[1].joined, &source_trampoline);
	join_close(j);
}

/* A report of a failure that the program could not report itself. */
static void an_older_report_is_of_another_failure(void **state)
{
	struct failure ring = failure_make(&source_ring, 1, 0x10);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	ring.ev.ts_ns = 100;
	tramp.ev.ts_ns = 99;
	assert_int_equal(count_joined(&tramp, &ring), 2);
	tramp.ev.ts_ns = 100;
	assert_int_equal(count_joined(&tramp, &ring), 1);
}

/* What an interrupt's program reports does not end what it interrupted. */
static void a_program_on_top_does_not_end_a_failure(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10), on_top = ring;
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	ring.ev.ts_ns = 100;
	on_top.prog_id = 6;
	on_top.ev.ts_ns = 110;
	on_top.ev.lock = 0x20;
	tramp.ev.ts_ns = 130;
	join_push(j, &tramp, true);
	join_push(j, &ring, false);
	join_push(j, &on_top, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 2);
	assert_ptr_equal(seen.f[0].joined, &source_trampoline);
	join_close(j);
}

/* The kernel owes no report of a failure in a lock that it was not asked for. */
static void what_the_kernel_does_not_know_is_not_alone(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure asked = failure_make(&source_ring, 1, 0x10), unasked = asked;

	(void)state;
	unasked.unasked = true;
	join_push(j, &asked, false);
	join_push(j, &unasked, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 2);
	assert_int_equal(join_alone(j), 1);
	join_close(j);
}

static struct failure failure_told(__u64 ts)
{
	struct failure f = failure_make(&source_tracepoint, 1, 0x10);

	f.ev.ts_ns = ts;
	f.ev.kind = RQSPIN_CYCLE;
	f.ev.parties = 3;
	f.ev.wait_ns = 5;
	f.ev.owner_cpu = 3;
	f.ev.nr_owner_held = 1;
	f.ev.owner_held[0] = 0x10;
	f.ev.nr_held = 1;
	f.ev.held[0] = 0x30;
	f.told = f.some_held = f.some_owner_held = true;
	f.nr_chain = 2;
	f.chain[0] = (struct failure_hop){ .cpu = 3, .wants = 0x20 };
	f.chain[1] = (struct failure_hop){ .cpu = 4, .wants = 0x30 };
	return f;
}

/* A program says who and where, the lock says why: whatever the program inferred. */
static void what_the_lock_tells_is_kept(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10), tp = failure_told(150);

	(void)state;
	ring.ev.ts_ns = 100;
	ring.ev.kind = RQSPIN_ABBA;
	ring.ev.parties = 2;
	ring.ev.line = 77;
	ring.ev.nr_held = 2;
	join_push(j, &tp, true);
	join_push(j, &ring, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	assert_ptr_equal(seen.f[0].source, &source_ring);
	assert_ptr_equal(seen.f[0].joined, &source_tracepoint);
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_CYCLE);
	assert_int_equal(seen.f[0].ev.parties, 3);
	assert_int_equal(seen.f[0].ev.ts_ns, 150);
	assert_int_equal(seen.f[0].ev.wait_ns, 5);
	assert_int_equal(seen.f[0].ev.owner_cpu, 3);
	assert_int_equal(seen.f[0].nr_chain, 2);
	assert_int_equal(seen.f[0].ev.line, 77);
	/* The program knows all that it holds. */
	assert_int_equal(seen.f[0].ev.nr_held, 2);
	assert_false(seen.f[0].some_held);
	assert_true(seen.f[0].some_owner_held);
	assert_int_equal(join_alone(j), 0);
	join_close(j);
}

/* What the lock told of the locks held is a part of what the kernel's report has. */
static void a_whole_list_takes_the_place_of_a_part(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure ring = failure_make(&source_ring, 1, 0x10), tp = failure_told(150);
	struct failure tramp = failure_make(&source_trampoline, 1, 0x10);

	(void)state;
	ring.ev.nr_held = HELD_UNKNOWN;
	tramp.ev.ts_ns = 160;
	tramp.ev.nr_held = 2;
	tramp.ev.held[0] = 0x40;
	tramp.ev.held[1] = 0x30;
	join_push(j, &tp, true);
	join_push(j, &tramp, true);
	join_push(j, &ring, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.f[0].ev.nr_held, 2);
	assert_int_equal(seen.f[0].ev.held[0], 0x40);
	assert_false(seen.f[0].some_held);
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_CYCLE);
	join_close(j);
}

static void a_lower_source_adds_nothing_to_what_is_told(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure queue = in_queue(140, 0x10, 0), tp = failure_told(150);

	(void)state;
	tp.ev.kind = RQSPIN_TIMEOUT;
	tp.ev.parties = 0;
	queue.ev.kind = RQSPIN_ABBA;
	queue.ev.parties = 2;
	join_push(j, &tp, false);
	join_push(j, &queue, true);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	assert_ptr_equal(seen.f[0].source, &source_tracepoint);
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_TIMEOUT);
	join_close(j);
}

static void each_scope_has_what_was_told_in_it(void **state)
{
	struct failure ring = failure_make(&source_ring, 1, 0x10), tp = failure_told(99);
	struct failure op = map_op(200, 7);

	(void)state;
	ring.ev.ts_ns = 100;
	assert_int_equal(count_joined(&tp, &ring), 2);
	tp.ev.ts_ns = 101;
	assert_int_equal(count_joined(&tp, &ring), 1);
	/* A map operation has what failed in its map. */
	tp.prog_id = 0;
	tp.map_id = 7;
	assert_int_equal(count_joined(&tp, &op), 1);
	tp.map_id = 8;
	assert_int_equal(count_joined(&tp, &op), 2);
}

/* Whichever source tells first, and though one may have to wait for a second report. */
static void failures_come_in_order_of_time(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure late = failure_make(&source_ring, 1, 0x10);
	struct failure waits = failure_make(&source_trampoline, 2, 0x20);
	struct failure early = failure_make(&source_contention, 3, 0x30);

	(void)state;
	late.ev.ts_ns = 30;
	waits.ev.ts_ns = 20;
	early.ev.ts_ns = 10;
	join_push(j, &late, false);
	join_push(j, &waits, true);
	join_push(j, &early, false);
	join_flush(j, false);
	assert_int_equal(seen.nr, 1);
	join_flush(j, true);
	assert_int_equal(seen.nr, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(seen.f[i].ev.ts_ns, 10 * (i + 1));
	join_close(j);
}

/* The same lock and CPU at nearly the same time: a wait is no report of the failure. */
static void a_wait_stays_beside_the_failure(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(failure_note, &seen);
	struct failure wait = failure_make(&source_longwaits, 1, 0x10);
	struct failure failed = failure_make(&source_contention, 1, 0x10);

	(void)state;
	wait.waited = true;
	wait.ev.err = 0;
	wait.ev.ts_ns = 20;
	failed.ev.ts_ns = 10;
	join_push(j, &wait, false);
	join_push(j, &failed, true);
	join_flush(j, true);
	join_push(j, &failed, true);
	join_flush(j, false);
	wait.ev.ts_ns = 5;
	join_push(j, &wait, false);
	join_flush(j, true);
	assert_int_equal(seen.nr, 4);
	assert_false(seen.f[0].waited);
	assert_true(seen.f[1].waited);
	assert_true(seen.f[2].waited);
	assert_false(seen.f[3].waited);
	for (int i = 0; i < 4; i++)
		assert_null(seen.f[i].joined);
	join_close(j);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_stays_beside_the_failure),
	cmocka_unit_test(failures_come_in_order_of_time),
	cmocka_unit_test(what_the_lock_tells_is_kept),
	cmocka_unit_test(a_whole_list_takes_the_place_of_a_part),
	cmocka_unit_test(a_lower_source_adds_nothing_to_what_is_told),
	cmocka_unit_test(each_scope_has_what_was_told_in_it),
	cmocka_unit_test(a_lost_report_is_not_replaced_by_the_next),
	cmocka_unit_test(an_older_report_is_of_another_failure),
	cmocka_unit_test(a_program_on_top_does_not_end_a_failure),
	cmocka_unit_test(a_waiting_failure_keeps_its_program),
	cmocka_unit_test(an_operation_takes_what_failed_inside_it),
	cmocka_unit_test(an_interrupts_operation_takes_its_own),
	cmocka_unit_test(two_reports_of_one_failure_are_one),
	cmocka_unit_test(repeated_failures_stay_apart),
	cmocka_unit_test(other_locks_cpus_and_threads_do_not_match),
	cmocka_unit_test(a_report_survives_a_source_without_one),
	cmocka_unit_test(what_the_kernel_does_not_know_is_not_alone),
};

UNIT_GROUP(join, tests)
