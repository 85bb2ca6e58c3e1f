// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>

#include "kernel/maplocks.h"
#include "events/failure.h"
#include "events/join.h"
#include "events/lineup.h"
#include "events/lost.h"
#include "unit.h"

/* A source's state is how many it has lost. */
static __u64 state_lost(void *state, bool *unknown)
{
	(void)unknown;
	return *(__u64 *)state;
}

static __u64 lost_and_doubt(void *state, bool *unknown)
{
	*unknown = true;
	return *(__u64 *)state;
}

/* One of them was none of the kernel's. */
static __u64 lost_one(void *state, bool *unknown)
{
	(void)unknown;
	return *(__u64 *)state ? 1 : 0;
}

static const struct failure unasked = { .unasked = true }, asked;

static void lost_of_both(void *state, loss_fn fn, void *ctx)
{
	fn(&asked, *(__u64 *)state, ctx);
	fn(&unasked, *(__u64 *)state, ctx);
}

static const struct source whole = { .rank = 1,
				     .traits = SOURCE_WHOLE | SOURCE_AT_LOCK,
				     .lost = state_lost };
static const struct source reports = { .rank = 3,
				       .traits = SOURCE_REPORTS,
				       .lost = lost_and_doubt };
static const struct source own = { .rank = 5,
				   .traits = SOURCE_SELF_REPORTS,
				   .lost = state_lost,
				   .lost_unasked = lost_one,
				   .losses = lost_of_both };

static struct lineup lineup_of(const struct source *a, __u64 *lost_a, const struct source *b,
			       __u64 *lost_b)
{
	return (struct lineup){ .sources = { a, b },
				.states = { lost_a, lost_b },
				.nr = 2,
				.traits = a->traits | b->traits };
}

static void failure_ignore(const struct failure *f, void *ctx)
{
	(void)f;
	(void)ctx;
}

static void failures_of_both_are_counted(void **state)
{
	__u64 of_own = 3, of_reports = 4;
	struct lineup l = lineup_of(&own, &of_own, &reports, &of_reports);
	struct join *j = join_open(failure_ignore, NULL);
	bool unknown = false;

	(void)state;
	assert_int_equal(lost_count(&l, j, &unknown), 7);
	assert_true(unknown);
	join_close(j);
}

static void what_the_lock_tells_is_counted_there(void **state)
{
	__u64 of_own = 3, of_reports = 4, of_whole = 2;
	struct lineup with_own = lineup_of(&own, &of_own, &whole, &of_whole);
	struct lineup with_reports = lineup_of(&reports, &of_reports, &whole, &of_whole);
	struct join *j = join_open(failure_ignore, NULL);
	bool unknown = false;

	(void)state;
	assert_int_equal(lost_count(&with_own, j, &unknown), 2 + 1);
	assert_int_equal(lost_count(&with_reports, j, &unknown), 2);
	assert_false(unknown);
	join_close(j);
}

static void losses_sum(const struct failure *like, __u64 nr, void *ctx)
{
	(void)like;
	*(__u64 *)ctx += nr;
}

static void sum_unasked(const struct failure *like, __u64 nr, void *ctx)
{
	assert_true(!like || like->unasked);
	*(__u64 *)ctx += like ? nr : 0;
}

/* The kernel sees none of those, so nobody else counts them. */
static void what_the_kernel_was_not_asked_for_is_counted_here(void **state)
{
	__u64 of_own = 3, of_whole = 2, total = 0;
	struct lineup l = lineup_of(&own, &of_own, &whole, &of_whole);
	struct join *j = join_open(failure_ignore, NULL);

	(void)state;
	lost_each(&l, j, sum_unasked, &total);
	assert_int_equal(total, 1);
	join_close(j);
}

static void together_they_are_as_many(void **state)
{
	__u64 of_own = 3, of_reports = 4, total = 0;
	struct lineup l = lineup_of(&own, &of_own, &reports, &of_reports);
	struct join *j = join_open(failure_ignore, NULL);

	(void)state;
	lost_each(&l, j, losses_sum, &total);
	assert_int_equal(total, 7);
	join_close(j);
}

/* As two groups of each CPU. */
static const struct failure like[] = {
	{ .prog_id = 7, .ev = { .lock = 0x10, .cpu = 0, .kind = RQSPIN_AA } },
	{ .prog_id = 7, .ev = { .lock = 0x10, .cpu = 0, .kind = RQSPIN_TIMEOUT } },
	{ .prog_id = 7, .ev = { .lock = 0x10, .cpu = 1, .kind = RQSPIN_AA } },
};

static void what_is_not_seen_is_a_reason(void **state)
{
	struct losses l = { .blind = 1U << MAPLOCK_LPM };
	char text[LOSSES_TEXT];

	(void)state;
	assert_true(losses_possible(&l));
	losses_text(&l, text);
	assert_string_equal(text,
			    "unknown (not all failed locks inside maps of these types are seen: "
			    "lpm_trie)");
	l = (struct losses){ .lost = 3, .unknown = true, .missed = 1, .blind = 1U << MAPLOCK_LPM };
	losses_text(&l, text);
	assert_string_equal(text,
			    "at least 3 (1 program came and went unseen, not all failed locks "
			    "inside maps of these types are seen: lpm_trie)");
	l = (struct losses){ .unknown = true };
	losses_text(&l, text);
	assert_string_equal(text, "unknown (a source may have missed some)");
	l = (struct losses){ .unknown = true, .later = true };
	losses_text(&l, text);
	assert_string_equal(text,
			    "unknown (not all failures of programs that were loaded after the "
			    "recorder began are in it)");
	l = (struct losses){ .lost = 3 };
	losses_text(&l, text);
	assert_string_equal(text, "3");
	assert_false(losses_possible(&l));
}

/* Each lock that a kernel may have made resilient belongs to a map type, but for free lists. */
static void every_lock_has_its_map_types(void **state)
{
	char types[200];

	(void)state;
	for (int lock = MAPLOCK_NONE + 1; lock < MAPLOCK_NR; lock++) {
		maplocks_types(1U << lock, types, sizeof(types));
		assert_int_equal(!*types, lock == MAPLOCK_FREELIST);
	}
	assert_int_equal(maplocks_of_type(BPF_MAP_TYPE_ARRAY), 0);
	assert_true(maplocks_nested(BPF_MAP_TYPE_HASH_OF_MAPS));
}

static void losses_of_three_groups(void *state, loss_fn fn, void *ctx)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		fn(&like[i], 100, ctx);
}

static const struct source grouped = {
	.rank = 4, .traits = SOURCE_REPORTS, .lost = state_lost, .losses = losses_of_three_groups
};

struct groups {
	__u64 of_cpu[2], others;
};

static void sum_by_cpu(const struct failure *like, __u64 nr, void *ctx)
{
	struct groups *g = ctx;

	*(like ? &g->of_cpu[like->ev.cpu] : &g->others) += nr;
}

/* 100 of the 300 are known all the same: from the program, which was on CPU 0. */
static void what_is_known_is_lost_to_one_group_only(void **state)
{
	__u64 of_own = 0, of_grouped = 300;
	struct lineup l = lineup_of(&own, &of_own, &grouped, &of_grouped);
	struct join *j = join_open(failure_ignore, NULL);
	struct failure f = like[0];

	(void)state;
	f.source = &own;
	for (int i = 0; i < 100; i++)
		join_push(j, &f, false);
	join_flush(j, true);
	assert_int_equal(join_alone(j), 100);
	for (int again = 0; again < 2; again++) {
		struct groups g = { 0 };

		lost_each(&l, j, sum_by_cpu, &g);
		assert_int_equal(g.of_cpu[0], 100);
		assert_int_equal(g.of_cpu[1], 100);
		assert_int_equal(g.others, 0);
	}
	join_close(j);
}

static void waits_are_counted_apart(void **state)
{
	static const struct source waits = { .rank = 6,
					     .traits = SOURCE_RECORDS | SOURCE_WAITS,
					     .lost = lost_and_doubt };
	__u64 of_waits = 5, of_own = 3;
	struct lineup l = lineup_of(&waits, &of_waits, &own, &of_own);
	struct join *j = join_open(failure_ignore, NULL);
	bool unknown = false;

	(void)state;
	assert_int_equal(lost_count(&l, j, &unknown), 3);
	assert_false(unknown);
	assert_int_equal(lost_waits(&l, &unknown), 5);
	assert_true(unknown);
	join_close(j);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waits_are_counted_apart),
	cmocka_unit_test(what_is_not_seen_is_a_reason),
	cmocka_unit_test(every_lock_has_its_map_types),
	cmocka_unit_test(failures_of_both_are_counted),
	cmocka_unit_test(what_the_lock_tells_is_counted_there),
	cmocka_unit_test(together_they_are_as_many),
	cmocka_unit_test(what_is_known_is_lost_to_one_group_only),
	cmocka_unit_test(what_the_kernel_was_not_asked_for_is_counted_here),
};

UNIT_GROUP(lost, tests)
