// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "events/sources/ring_reader.h"
#include "unit.h"

#define SLOTS 8

struct slot {
	__u64 seq, value;
};

struct ring {
	__u64 head;
	struct slot slots[SLOTS];
};

struct got {
	__u64 nr, sum, last;
};

static void slot_note(const void *slot, void *ctx)
{
	struct got *g = ctx;

	g->nr++;
	g->last = ((const struct slot *)slot)->value;
	g->sum += g->last;
}

static __u64 slot_reserve(struct ring *r)
{
	__u64 pos = r->head++;

	r->slots[pos % SLOTS].seq = 0;
	return pos;
}

static void slot_fill(struct ring *r, __u64 pos)
{
	r->slots[pos % SLOTS] = (struct slot){ pos + 1, 100 + pos };
}

static int ring_poll_once(struct ring_reader *reader, struct ring *r, bool last, struct got *g)
{
	struct ring_view v = { &r->head, NULL, r->slots, sizeof(r->slots[0]), SLOTS };
	struct slot copy;

	return ring_read(reader, &v, last, &copy, slot_note, g);
}

static void what_is_behind_a_hole_does_not_wait(void **state)
{
	struct ring_reader reader = { 0 };
	struct ring r = { 0 };
	struct got g = { 0 };

	(void)state;
	slot_fill(&r, slot_reserve(&r));
	slot_reserve(&r);
	slot_fill(&r, slot_reserve(&r));
	assert_int_equal(ring_poll_once(&reader, &r, false, &g), 0);
	assert_int_equal(g.nr, 2);
	assert_int_equal(g.sum, 100 + 102);
	assert_int_equal(reader.lost, 0);
	/* Its writer was only slow. */
	slot_fill(&r, 1);
	ring_poll_once(&reader, &r, false, &g);
	assert_int_equal(g.nr, 3);
	assert_int_equal(g.last, 101);
	ring_poll_once(&reader, &r, true, &g);
	assert_int_equal(g.nr, 3);
	assert_int_equal(reader.lost, 0);
}

static void the_last_look_counts_what_never_came(void **state)
{
	struct ring_reader reader = { 0 };
	struct ring r = { 0 };
	struct got g = { 0 };

	(void)state;
	slot_reserve(&r);
	slot_fill(&r, slot_reserve(&r));
	ring_poll_once(&reader, &r, false, &g);
	slot_reserve(&r);
	slot_fill(&r, slot_reserve(&r));
	ring_poll_once(&reader, &r, true, &g);
	assert_int_equal(g.nr, 2);
	assert_int_equal(reader.lost, 2);
}

static void a_hole_that_is_overwritten_is_lost_once(void **state)
{
	struct ring_reader reader = { 0 };
	struct ring r = { 0 };
	struct got g = { 0 };

	(void)state;
	slot_reserve(&r);
	ring_poll_once(&reader, &r, false, &g);
	for (int i = 0; i < 2 * SLOTS; i++)
		slot_fill(&r, slot_reserve(&r));
	ring_poll_once(&reader, &r, false, &g);
	ring_poll_once(&reader, &r, true, &g);
	assert_int_equal(g.nr, SLOTS);
	assert_int_equal(g.nr + reader.lost, r.head);
}

/* Memory that anybody may write. */
static void a_head_out_of_order_is_an_error(void **state)
{
	struct ring_reader reader = { 0 };
	struct ring r = { 0 };
	struct got g = { 0 };

	(void)state;
	slot_fill(&r, slot_reserve(&r));
	ring_poll_once(&reader, &r, false, &g);
	r.head = 0;
	assert_int_equal(ring_poll_once(&reader, &r, false, &g), -ERANGE);
	r.head = ~0ULL >> 1;
	assert_int_equal(ring_poll_once(&reader, &r, false, &g), -ERANGE);
	assert_int_equal(reader.lost, 0);
	slot_fill(&r, slot_reserve(&r));
	assert_int_equal(ring_poll_once(&reader, &r, false, &g), 0);
	assert_int_equal(g.nr, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_is_behind_a_hole_does_not_wait),
	cmocka_unit_test(the_last_look_counts_what_never_came),
	cmocka_unit_test(a_hole_that_is_overwritten_is_lost_once),
	cmocka_unit_test(a_head_out_of_order_is_an_error),
};

UNIT_GROUP(ring_reader, tests)
