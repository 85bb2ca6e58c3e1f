// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "check/graph.h"
#include "unit.h"

static struct check_map maps[] = { { .id = 1 }, { .id = 2 }, { .id = 3 } };
static const struct check_set set = { .maps = maps, .nr_maps = 3 };

/* "b" is the lock of the second map; "b7" its element 7, "b?" any. */
static struct lock lock(const char *name)
{
	struct lock l = { .kind = LOCK_MAP, .map = name[0] - 'a' };

	if (name[1] != '?')
		snprintf(l.key, sizeof(l.key), "%s", name[1] ? name + 1 : "0");
	return l;
}

static void add(struct record *r, __u32 prog, const char *from, const char *to, const char *gate,
		unsigned int order)
{
	struct edge e = { .order = order };

	e.from = (struct site){ .prog = prog, .pc = r->nr_edges * 2, .lock = lock(from) };
	e.to = (struct site){ .prog = prog, .pc = r->nr_edges * 2 + 1, .lock = lock(to) };
	if (gate)
		e.gates[e.nr_gates++] = lock(gate);
	assert_int_equal(record_edge(r, &e), 0);
}

/* How many cycles; of the first: its length, and whether it depends on keys. */
static size_t cycles(struct record *r, unsigned int *nr, bool *keys)
{
	struct cycles *c = calloc(1, sizeof(*c));
	size_t found;

	assert_int_equal(graph_cycles(&set, r, c), 0);
	assert_false(c->more);
	found = c->nr;
	*nr = c->all[0].nr;
	*keys = c->all[0].keys;
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
	add(&r, 0, "a", "b", NULL, 0);
	add(&r, 1, "b", "a", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
	assert_int_equal(nr, 2);
	assert_false(keys);
	add(&r, 0, "a", "b", NULL, 0);
	add(&r, 1, "b", "c", NULL, 0);
	add(&r, 2, "a", "c", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 0);
	add(&r, 0, "a", "b", NULL, 0);
	add(&r, 1, "b", "c", NULL, 0);
	add(&r, 2, "c", "a", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
	assert_int_equal(nr, 3);
}

static void keys_tell_elements_apart(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	add(&r, 0, "a1", "b", NULL, 0);
	add(&r, 1, "b", "a2", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 0);
	add(&r, 0, "a1", "a2", NULL, 0);
	add(&r, 1, "a2", "a1", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
	add(&r, 0, "a?", "b", NULL, 0);
	add(&r, 1, "b", "a2", NULL, 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
	assert_true(keys);
}

static void a_common_lock_prevents_it(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	add(&r, 0, "a", "b", "c", 0);
	add(&r, 1, "b", "a", "c", 0);
	assert_int_equal(cycles(&r, &nr, &keys), 0);
	add(&r, 0, "a", "b", "c1", 0);
	add(&r, 1, "b", "a", "c2", 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
	/* Once without it is enough, whichever is seen first. */
	add(&r, 0, "a", "b", "c", 0);
	add(&r, 0, "a", "b", NULL, 0);
	add(&r, 1, "b", "a", "c", 0);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
}

static void what_rises_does_not_return(void **state)
{
	struct record r = {};
	unsigned int nr;
	bool keys;

	(void)state;
	add(&r, 0, "a1", "a2", NULL, ORDER_ADDRESS);
	add(&r, 0, "a2", "a1", NULL, ORDER_ADDRESS);
	assert_int_equal(cycles(&r, &nr, &keys), 0);
	add(&r, 0, "a1", "a2", NULL, ORDER_ADDRESS);
	add(&r, 0, "a2", "a1", NULL, ORDER_KEY);
	assert_int_equal(cycles(&r, &nr, &keys), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_orders_are_a_cycle),
	cmocka_unit_test(keys_tell_elements_apart),
	cmocka_unit_test(a_common_lock_prevents_it),
	cmocka_unit_test(what_rises_does_not_return),
};

UNIT_GROUP(check_graph, tests)
