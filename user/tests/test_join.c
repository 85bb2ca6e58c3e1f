// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace_join.h"
#include "unit.h"

struct seen {
	int nr;
	struct failure f[8];
	char report[8][16];
};

/* The report is freed when it returns. */
static void note(const struct failure *f, void *ctx)
{
	struct seen *s = ctx;

	s->f[s->nr] = *f;
	snprintf(s->report[s->nr++], sizeof(s->report[0]), "%s", f->report ? f->report : "");
}

static struct failure failure(const struct source *src, __u32 cpu, __u64 lock)
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
	struct join *j = join_open(note, &seen);
	struct failure ring = failure(&source_ring, 1, 0x10);
	struct failure tramp = failure(&source_trampoline, 1, 0x10);

	(void)state;
	tramp.ev.kind = RQSPIN_ABBA;
	tramp.ev.parties = 2;
	tramp.ev.owner_cpu = 3;
	ring.ev.line = 77;
	join_push(j, &ring, false);
	join_push(j, &tramp, true);
	join_flush(j, false);
	assert_int_equal(seen.nr, 1);
	assert_ptr_equal(seen.f[0].source, &source_ring);
	assert_ptr_equal(seen.f[0].joined, &source_trampoline);
	assert_int_equal(seen.f[0].ev.kind, RQSPIN_ABBA);
	assert_int_equal(seen.f[0].ev.owner_cpu, 3);
	assert_int_equal(seen.f[0].ev.line, 77);
	join_flush(j, true);
	assert_int_equal(seen.nr, 1);
	join_close(j);
}

static void repeated_failures_stay_apart(void **state)
{
	struct seen seen = { 0 };
	struct join *j = join_open(note, &seen);
	struct failure ring = failure(&source_ring, 1, 0x10);
	struct failure tramp = failure(&source_trampoline, 1, 0x10);

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
	struct join *j = join_open(note, &seen);
	struct failure ring = failure(&source_ring, 1, 0x10);
	struct failure others[] = { failure(&source_trampoline, 1, 0x20),
				    failure(&source_trampoline, 2, 0x10),
				    failure(&source_trampoline, 1, 0x10) };

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
	struct join *j = join_open(note, &seen);
	struct failure tramp = failure(&source_trampoline, 1, 0x10);
	struct failure partial = failure(&source_contention, 1, 0x10);

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_reports_of_one_failure_are_one),
	cmocka_unit_test(repeated_failures_stay_apart),
	cmocka_unit_test(other_locks_cpus_and_threads_do_not_match),
	cmocka_unit_test(a_report_survives_a_source_without_one),
};

UNIT_GROUP(join, tests)
