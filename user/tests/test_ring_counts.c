// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/sources/ring_counts.h"
#include "events/failure.h"
#include "unit.h"

struct state {
	struct rqspin_ring *ring;
	struct ring_counts *counts;
};

struct got {
	__u64 nr, lines;
	const struct failure *like;
};

static int counts_setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	s->ring = calloc(1, sizeof(*s->ring));
	s->counts = calloc(1, sizeof(*s->counts));
	ring_counts_over(s->counts, s->ring, RQSPIN_RING_EVENTS);
	*state = s;
	return 0;
}

static int counts_teardown(void **state)
{
	struct state *s = *state;

	ring_counts_end(s->counts);
	free(s->counts);
	free(s->ring);
	free(s);
	return 0;
}

/* As a program does. */
static void group_add(struct rqspin_ring *ring, int group, int times)
{
	struct rqspin_group *g = &ring->groups[group];

	if (!g->ready) {
		*g = (struct rqspin_group){ .ready = 1, .err = -EDEADLK, .kind = RQSPIN_AA };
		strcpy(g->prog, "locker");
		ring->groups_used++;
	}
	g->count += times;
	ring->head += times;
}

static void no_names(struct failure *like, void *ctx)
{
	(void)like;
	++*(int *)ctx;
}

static void losses_note(const struct failure *like, __u64 nr, void *ctx)
{
	struct got *g = ctx;

	g->nr += nr;
	g->lines++;
	g->like = like;
}

static void what_is_not_handed_out_is_lost_by_group(void **state)
{
	struct state *s = *state;
	struct rqspin_event ev = { .group = 4 };
	struct got got = { 0 };
	int named = 0;
	__u64 head;

	group_add(s->ring, 3, 10);
	group_add(s->ring, 7, 5);
	assert_true(ring_counts_look(s->counts, &head));
	assert_int_equal(head, 15);
	ring_counts_saw(s->counts, &ev);
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(named, 2);
	assert_int_equal(ring_counts_losses(s->counts, 14, losses_note, &got), 0);
	assert_int_equal(got.nr, 14);
	assert_int_equal(got.lines, 2);
	assert_string_equal(got.like->ev.prog, "locker");
}

static void others_have_no_group(void **state)
{
	struct state *s = *state;
	struct got got = { 0 };
	int named = 0;
	__u64 head;

	group_add(s->ring, 0, 10);
	s->ring->head += 3;
	assert_false(ring_counts_look(s->counts, &head));
	s->ring->others += 3;
	assert_true(ring_counts_look(s->counts, &head));
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(ring_counts_losses(s->counts, 13, losses_note, &got), 3);
	assert_int_equal(got.nr, 10);
}

static void what_was_there_before_is_skipped(void **state)
{
	struct state *s = *state;
	struct got got = { 0 };
	int named = 0;
	__u64 head;

	group_add(s->ring, 0, 10);
	ring_counts_look(s->counts, &head);
	ring_counts_skip(s->counts);
	group_add(s->ring, 0, 2);
	ring_counts_look(s->counts, &head);
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(ring_counts_losses(s->counts, 2, losses_note, &got), 0);
	assert_int_equal(got.nr, 2);
}

/* No source that watches the kernel has seen those. */
static void locks_that_the_kernel_was_not_asked_for_count_apart(void **state)
{
	struct state *s = *state;
	struct rqspin_event seen[] = { { .group = 1 }, { .group = 3 }, { .wait_ns = 5 } };
	int named = 0;
	__u64 head;

	group_add(s->ring, 0, 10);
	group_add(s->ring, 2, 7);
	s->ring->groups[0].unasked = 1;
	s->ring->head += 3;
	s->ring->others = 3;
	s->ring->others_unasked = 2;
	assert_true(ring_counts_look(s->counts, &head));
	for (int i = 0; i < 3; i++)
		ring_counts_saw(s->counts, &seen[i]);
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(s->counts->lost_unasked, 9 + 1);
	assert_true(s->counts->likes[0]->unasked);
	assert_false(s->counts->likes[2]->unasked);
}

/* The program may write anything there. */
static void forged_groups_tell_nothing(void **state)
{
	struct state *s = *state;
	struct rqspin_event ev = { .group = RQSPIN_RING_GROUPS + 1 };
	struct got got = { 0 };
	int named = 0;
	__u64 head;

	group_add(s->ring, 0, 10);
	group_add(s->ring, 1, 10);
	s->ring->groups[0].err = 35;
	s->ring->groups[1].count = ~0ULL;
	ring_counts_saw(s->counts, &ev);
	ring_counts_look(s->counts, &head);
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(named, 1);
	assert_int_equal(ring_counts_losses(s->counts, 4, losses_note, &got), 0);
	assert_int_equal(got.nr, 4);
}

/* A ring that is over lets its programs go; it may be freed much later. */
static void nothing_is_left_after_the_end(void **state)
{
	struct state *s = *state;
	struct got got = { 0 };
	int named = 0;
	__u64 head;

	group_add(s->ring, 0, 10);
	ring_counts_look(s->counts, &head);
	ring_counts_settle(s->counts, no_names, &named);
	assert_int_equal(named, 1);
	ring_counts_end(s->counts);
	assert_int_equal(ring_counts_losses(s->counts, 10, losses_note, &got), 10);
	ring_counts_end(s->counts);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, counts_setup, counts_teardown)

static const struct CMUnitTest tests[] = {
	TEST(what_is_not_handed_out_is_lost_by_group),
	TEST(others_have_no_group),
	TEST(what_was_there_before_is_skipped),
	TEST(locks_that_the_kernel_was_not_asked_for_count_apart),
	TEST(forged_groups_tell_nothing),
	TEST(nothing_is_left_after_the_end),
};

UNIT_GROUP(ring_counts, tests)
