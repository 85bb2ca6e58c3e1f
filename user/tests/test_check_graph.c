// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "check/graph.h"
#include "check/order.h"
#include "unit.h"

#define NR_MAPS 26

static struct check_map maps[NR_MAPS];
static const struct check_set set = { .maps = maps, .nr_maps = NR_MAPS };

static void give_ids(void)
{
	for (__u32 i = 0; i < NR_MAPS; i++)
		maps[i] = (struct check_map){ .id = i + 1, .key_size = 4 };
}

/* "b" is the lock of the second map; "b7" its element 7, "b?" any. */
static struct lock lock_named(const char *name)
{
	struct lock l = { .kind = LOCK_MAP, .map = name[0] - 'a' };

	if (name[1] != '?')
		snprintf(l.key, sizeof(l.key), "%s", name[1] ? name + 1 : "0");
	return l;
}

static void edge_add(struct record *r, __u32 prog, const char *from, const char *to,
		     const char *gate, unsigned int order)
{
	struct edge e = { .order = order };
	struct lock held;

	e.from = (struct site){ .prog = prog, .pc = r->nr_edges * 2, .lock = lock_named(from) };
	e.to = (struct site){ .prog = prog, .pc = r->nr_edges * 2 + 1, .lock = lock_named(to) };
	if (gate) {
		held = lock_named(gate);
		e.gates = &held;
		e.nr_gates = 1;
	}
	assert_int_equal(record_edge(r, &e), 0);
}

/* How many cycles; of the first: its length, and whether it depends on keys. */
static size_t cycles_count(struct record *r, unsigned int *nr, bool *keys)
{
	struct cycles *c = calloc(1, sizeof(*c));
	size_t found;

	give_ids();
	assert_int_equal(graph_cycles(&set, r, c), 0);
	assert_false(c->more || c->length);
	found = c->nr;
	*nr = c->all[0].nr;
	*keys = c->all[0].keys;
	cycles_free(c);
	free(c);
	record_free(r);
	return found;
}

static void two_orders_are_a_cycle(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a", "b", NULL, 0);
	edge_add(&r, 1, "b", "a", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_int_equal(nr, 2);
	assert_false(keys);
	edge_add(&r, 0, "a", "b", NULL, 0);
	edge_add(&r, 1, "b", "c", NULL, 0);
	edge_add(&r, 2, "a", "c", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
	edge_add(&r, 0, "a", "b", NULL, 0);
	edge_add(&r, 1, "b", "c", NULL, 0);
	edge_add(&r, 2, "c", "a", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_int_equal(nr, 3);
}

static void keys_tell_elements_apart(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a1", "b", NULL, 0);
	edge_add(&r, 1, "b", "a2", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
	edge_add(&r, 0, "a1", "a2", NULL, 0);
	edge_add(&r, 1, "a2", "a1", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	edge_add(&r, 0, "a?", "b", NULL, 0);
	edge_add(&r, 1, "b", "a2", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_true(keys);
}

static void a_common_lock_prevents_it(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a", "b", "c", 0);
	edge_add(&r, 1, "b", "a", "c", 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
	edge_add(&r, 0, "a", "b", "c1", 0);
	edge_add(&r, 1, "b", "a", "c2", 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	/* Once without it is enough, whichever is seen first. */
	edge_add(&r, 0, "a", "b", "c", 0);
	edge_add(&r, 0, "a", "b", NULL, 0);
	edge_add(&r, 1, "b", "a", "c", 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
}

static void what_rises_does_not_return(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a1", "a2", NULL, ORDER_ADDRESS);
	edge_add(&r, 0, "a2", "a1", NULL, ORDER_ADDRESS);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
	edge_add(&r, 0, "a1", "a2", NULL, ORDER_ADDRESS);
	edge_add(&r, 0, "a2", "a1", NULL, ORDER_KEY);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
}

/* a? to a? in order: from any to any that is higher, which closes a circle of others. */
static void an_order_is_part_of_a_cycle(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	for (int up = 0; up < 2; up++)
		for (unsigned int order = ORDER_KEY; order <= ORDER_KEY_DOWN; order *= 8) {
			bool fits = up == (order == ORDER_KEY);

			edge_add(&r, 0, "a?", "a?", NULL, order);
			edge_add(&r, 1, up ? "a7" : "a3", "b", NULL, 0);
			edge_add(&r, 2, "b", up ? "a3" : "a7", NULL, 0);
			assert_int_equal(cycles_count(&r, &nr, &keys), fits);
			if (!fits)
				continue;
			assert_int_equal(nr, 3);
			assert_true(keys);
		}
}

static void two_orders_are_parts_of_a_cycle(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a?", "a?", NULL, ORDER_KEY);
	edge_add(&r, 0, "b?", "b?", NULL, ORDER_KEY | ORDER_SIGNED);
	edge_add(&r, 1, "a7", "b3", NULL, 0);
	edge_add(&r, 2, "b8", "a3", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_int_equal(nr, 4);
}

/* Of one sort of lock alone, or where it would be closed without the order. */
static void an_order_adds_no_cycle(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	edge_add(&r, 0, "a?", "a?", NULL, ORDER_KEY);
	edge_add(&r, 1, "a7", "a3", NULL, ORDER_KEY_DOWN);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
	edge_add(&r, 0, "a?", "a?", NULL, ORDER_KEY);
	edge_add(&r, 1, "a?", "b", NULL, 0);
	edge_add(&r, 2, "b", "a3", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_int_equal(nr, 2);
	/* Where one lock is held by all, none happens. */
	edge_add(&r, 0, "a?", "a?", "c", ORDER_KEY);
	edge_add(&r, 1, "a7", "b", "c", 0);
	edge_add(&r, 2, "b", "a3", "c", 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 0);
}

static void long_cycles_are_found(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	for (char at = 'a'; at < 'z'; at++)
		edge_add(&r, at - 'a', (char[]){ at, 0 }, (char[]){ at + 1, 0 }, NULL, 0);
	edge_add(&r, NR_MAPS, "z", "a", NULL, 0);
	assert_int_equal(cycles_count(&r, &nr, &keys), 1);
	assert_int_equal(nr, NR_MAPS);
}

/* Each lock is taken under each: so many ways round that some must be left out, but no short one.
 */
static void what_is_left_out_is_said(void **state)
{
	struct cycles *c = calloc(1, sizeof(*c));
	struct record r = {};

	(void)state;
	give_ids();
	for (char from = 'a'; from <= 'h'; from++)
		for (char to = 'a'; to <= 'h'; to++)
			if (from != to)
				edge_add(&r, from, (char[]){ from, 0 }, (char[]){ to, 0 }, NULL, 0);
	assert_int_equal(graph_cycles(&set, &r, c), 0);
	assert_int_equal(c->nr, CYCLES_MAX);
	assert_true(c->more);
	assert_int_equal(c->all[27].nr, 2);
	assert_int_equal(c->all[28].nr, 3);
	cycles_free(c);
	free(c);
	record_free(&r);
}

/* 23 layers of four locks: no circle, and 4^23 ways through. */
static void an_end_to_the_search_is_said(void **state)
{
	struct cycles *c = calloc(1, sizeof(*c));
	struct record r = {};
	char from[3] = "", to[3] = "";

	(void)state;
	give_ids();
	for (char layer = 'a'; layer < 'x'; layer++)
		for (int i = 0; i < 16; i++) {
			snprintf(from, sizeof(from), "%c%d", layer, i % 4);
			snprintf(to, sizeof(to), "%c%d", layer + 1, i / 4);
			edge_add(&r, layer, from, to, NULL, 0);
		}
	edge_add(&r, 'x', "x0", "a0", NULL, 0);
	assert_int_equal(graph_cycles(&set, &r, c), 0);
	assert_int_equal(c->nr, 0);
	assert_true(c->length > 2 && c->length < 24);
	cycles_free(c);
	free(c);
	record_free(&r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_orders_are_a_cycle),
	cmocka_unit_test(keys_tell_elements_apart),
	cmocka_unit_test(a_common_lock_prevents_it),
	cmocka_unit_test(what_rises_does_not_return),
	cmocka_unit_test(an_order_is_part_of_a_cycle),
	cmocka_unit_test(two_orders_are_parts_of_a_cycle),
	cmocka_unit_test(an_order_adds_no_cycle),
	cmocka_unit_test(long_cycles_are_found),
	cmocka_unit_test(what_is_left_out_is_said),
	cmocka_unit_test(an_end_to_the_search_is_said),
};

UNIT_GROUP(check_graph, tests)
