// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "events/sources/classify.h"
#include "unit.h"

enum { A = 0x1000, B = 0x2000, C = 0x3000, D = 0x4000 };

static struct rqspin_event event_make(int err, __u64 lock)
{
	return (struct rqspin_event){ .err = err, .lock = lock, .cpu = 0 };
}

static void lock_held_twice_is_aa(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 2, .locks = { B, A } };
	struct tables none = { .complete = true };
	struct rqspin_event ev = event_make(-EDEADLK, B);

	(void)state;
	classify_event(&ev, &own, false, &none);
	assert_int_equal(ev.kind, RQSPIN_AA);
	assert_int_equal(ev.parties, 1);
	assert_int_equal(ev.owner_cpu, 0);
	assert_int_equal(ev.nr_held, 2);
}

static void owner_that_wants_mine_is_abba(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { A } };
	struct witness_table other = { .cpu = 3, .nr = 2, .locks = { B, A } };
	struct tables all = { &other, 1, true };
	struct rqspin_event ev = event_make(-EDEADLK, B);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_ABBA);
	assert_int_equal(ev.parties, 2);
	assert_int_equal(ev.owner_cpu, 3);
	assert_int_equal(ev.owner_wants, A);
	assert_int_equal(ev.nr_owner_held, 1);
	assert_int_equal(ev.owner_held[0], B);
}

static void owner_that_gave_up_wanted_the_only_lock(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { A } };
	struct witness_table other = { .cpu = 1, .nr = 1, .locks = { B } };
	struct tables all = { &other, 1, true };
	struct rqspin_event ev = event_make(-EDEADLK, B);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_ABBA);
	assert_int_equal(ev.owner_cpu, 1);
	assert_int_equal(ev.owner_wants, A);
}

static void owner_that_gave_up_with_two_candidates_is_unknown(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 2, .locks = { A, C } };
	struct witness_table other = { .cpu = 1, .nr = 1, .locks = { B } };
	struct tables all = { &other, 1, true };
	struct rqspin_event ev = event_make(-EDEADLK, B);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_ABBA);
	assert_int_equal(ev.owner_wants, 0);
}

static void circle_of_three_is_a_cycle(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { A } };
	struct witness_table others[] = {
		{ .cpu = 1, .nr = 2, .locks = { B, C } },
		{ .cpu = 2, .nr = 2, .locks = { C, A } },
	};
	struct tables all = { others, 2, true };
	struct rqspin_event ev = event_make(-ETIMEDOUT, B);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_CYCLE);
	assert_int_equal(ev.parties, 3);
	assert_int_equal(ev.owner_cpu, 1);
	assert_int_equal(ev.owner_wants, C);
}

static void circle_without_me_is_a_timeout(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { D } };
	struct witness_table others[] = {
		{ .cpu = 1, .nr = 2, .locks = { A, B } },
		{ .cpu = 2, .nr = 2, .locks = { B, A } },
	};
	struct tables all = { others, 2, true };
	struct rqspin_event ev = event_make(-ETIMEDOUT, A);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_TIMEOUT);
	assert_int_equal(ev.parties, 0);
	assert_int_equal(ev.owner_cpu, 1);
}

static void two_with_it_on_top_leave_the_owner_unknown(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 0 };
	struct witness_table others[] = {
		{ .cpu = 1, .nr = 1, .locks = { A } },
		{ .cpu = 2, .nr = 1, .locks = { A } },
	};
	struct tables all = { others, 2, true };
	struct rqspin_event ev = event_make(-ETIMEDOUT, A);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_TIMEOUT);
	assert_int_equal(ev.owner_cpu, -1);
}

static void too_many_locks_to_tell(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 12, .locks = { A, B } };
	struct tables none = { .complete = true };
	struct rqspin_event ev = event_make(-EDEADLK, D);

	(void)state;
	classify_event(&ev, &own, false, &none);
	assert_int_equal(ev.kind, RQSPIN_UNKNOWN);
	assert_int_equal(ev.nr_held, 12);
}

static void lock_being_attempted_is_not_held(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 10, .locks = { 1, 2, 3, 4, 5, 6, 7, 8, D } };
	struct tables none = { .complete = true };
	struct rqspin_event ev = event_make(-EDEADLK, D);

	(void)state;
	classify_event(&ev, &own, true, &none);
	assert_int_equal(ev.kind, RQSPIN_UNKNOWN);
	assert_int_equal(ev.nr_held, 9);
	for (int i = 0; i < RQSPIN_EVENT_HELD; i++)
		assert_int_equal(ev.held[i], i + 1);
}

static void owner_with_many_locks_has_all_entries(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { A } };
	struct witness_table other = { .cpu = 1, .nr = 9, .locks = { B, 2, 3, 4, 5, 6, 7, 8, A } };
	struct tables all = { &other, 1, true };
	struct rqspin_event ev = event_make(-EDEADLK, B);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_ABBA);
	assert_int_equal(ev.nr_owner_held, 8);
	assert_int_equal(ev.owner_held[7], 8);
}

static void owner_of_two_locks_wants_nothing(void **state)
{
	struct witness_table own = { .cpu = 0, .nr = 1, .locks = { C } };
	struct witness_table others[] = {
		{ .cpu = 1, .nr = 2, .locks = { A, B } },
		{ .cpu = 2, .nr = 1, .locks = { B } },
	};
	struct tables all = { others, 1, true };
	struct rqspin_event ev = event_make(-ETIMEDOUT, A);

	(void)state;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.kind, RQSPIN_TIMEOUT);
	assert_int_equal(ev.owner_cpu, 1);
	assert_int_equal(ev.owner_wants, 0);
	assert_int_equal(ev.nr_owner_held, 2);
	/* With a second CPU at the newest one, either may have it. */
	all.nr = 2;
	classify_event(&ev, &own, false, &all);
	assert_int_equal(ev.owner_wants, 0);
	assert_int_equal(ev.nr_owner_held, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lock_held_twice_is_aa),
	cmocka_unit_test(owner_that_wants_mine_is_abba),
	cmocka_unit_test(owner_that_gave_up_wanted_the_only_lock),
	cmocka_unit_test(owner_that_gave_up_with_two_candidates_is_unknown),
	cmocka_unit_test(circle_of_three_is_a_cycle),
	cmocka_unit_test(circle_without_me_is_a_timeout),
	cmocka_unit_test(two_with_it_on_top_leave_the_owner_unknown),
	cmocka_unit_test(too_many_locks_to_tell),
	cmocka_unit_test(lock_being_attempted_is_not_held),
	cmocka_unit_test(owner_with_many_locks_has_all_entries),
	cmocka_unit_test(owner_of_two_locks_wants_nothing),
};

UNIT_GROUP(classify, tests)
