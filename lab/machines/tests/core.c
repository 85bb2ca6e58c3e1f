// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Order of events, and what accesses cost. */
#include <string.h>

#include "core/sim.h"
#include "tests/suites.h"

static int order[8], seen;

static void event_note(void *arg, uint64_t tag)
{
	(void)arg;
	order[seen++] = tag;
}

static void earlier_events_come_first(void **state)
{
	struct events e = { 0 };
	struct event ev;
	const int want[] = { 2, 0, 1, 3 };

	(void)state;
	seen = 0;
	events_add(&e, 5, event_note, NULL, 0);
	events_add(&e, 5, event_note, NULL, 1);
	events_add(&e, 3, event_note, NULL, 2);
	events_add(&e, 7, event_note, NULL, 3);
	while (events_next(&e, &ev))
		ev.fn(ev.arg, ev.tag);
	assert_int_equal(seen, 4);
	assert_memory_equal(order, want, sizeof(want));
	events_free(&e);
}

/* Two sockets of two cores; CPUs 0 and 1 share a socket, 4 is the sibling of 0. */
static const struct topo machine = {
	.sockets = 2,
	.cores = 2,
	.smt = 2,
	.hit = 1 * SIM_NS,
	.rmw = 5 * SIM_NS,
	.core = 10 * SIM_NS,
	.local = 50 * SIM_NS,
	.remote = 200 * SIM_NS,
	.occ_local = 8 * SIM_NS,
	.occ_remote = 30 * SIM_NS,
	.pause = 10 * SIM_NS,
};

static struct sim_line line;
static struct sim_var var;
static sim_time took[8];
static void (*script)(struct sim_cpu *);

static void cpu_idle(struct sim_cpu *c)
{
	for (;;)
		sim_delay(c, 1000 * SIM_MS);
}

static void script_play(struct sim_cpu *c)
{
	script(c);
	cpu_idle(c);
}

static void sim_play(const struct topo *t, int cpus, void (*fn)(struct sim_cpu *))
{
	struct sim s;

	script = fn;
	memset(took, 0, sizeof(took));
	assert_int_equal(sim_init(&s, t, cpus, 1, script_play), 0);
	line_init(&line, &s, 0);
	var = (struct sim_var){ .line = &line };
	sim_run(&s, 10 * SIM_MS);
	line_free(&line);
	sim_free(&s);
}

static void delay_until(struct sim_cpu *c, sim_time t)
{
	sim_delay(c, t - c->sim->now);
}

/* Each reads at a time of its own; 0 owns the line. */
static void read_in_turn(struct sim_cpu *c)
{
	sim_time start;

	delay_until(c, (1 + c->id) * 10 * SIM_US);
	start = c->sim->now;
	sim_read(c, &var);
	took[c->id] = c->sim->now - start;
}

static void reads_cost_the_way(void **state)
{
	(void)state;
	sim_play(&machine, 8, read_in_turn);
	assert_int_equal(took[0], machine.hit);
	assert_int_equal(took[1], machine.local);
	assert_int_equal(took[2], machine.remote);
	assert_int_equal(took[3], machine.local);
	assert_int_equal(took[4], machine.core);
}

static void read_at_once(struct sim_cpu *c)
{
	sim_time start;

	delay_until(c, 10 * SIM_US);
	start = c->sim->now;
	if (c->id)
		sim_read(c, &var);
	took[c->id] = c->sim->now - start;
}

static void a_line_serves_one_read_at_a_time(void **state)
{
	sim_time sum = 0;
	const struct topo one = { .sockets = 1,
				  .cores = 4,
				  .smt = 1,
				  .hit = SIM_NS,
				  .local = 50 * SIM_NS,
				  .occ_local = 8 * SIM_NS };

	(void)state;
	sim_play(&one, 4, read_at_once);
	for (int i = 1; i < 4; i++)
		sum += took[i];
	assert_int_equal(sum, 3 * one.local + (0 + 1 + 2) * one.occ_local);
}

/* All read; then 1 adds, and does so again. */
static void write_shared(struct sim_cpu *c)
{
	sim_time start;

	delay_until(c, 10 * SIM_US);
	sim_read(c, &var);
	if (c->id != 1)
		return;
	for (int i = 0; i < 2; i++) {
		delay_until(c, (20 + i) * SIM_US);
		start = c->sim->now;
		sim_add(c, &var, 1);
		took[i] = c->sim->now - start;
	}
}

/* 1 has no copy. */
static void store_alone(struct sim_cpu *c)
{
	sim_time start;

	delay_until(c, 10 * SIM_US);
	if (c->id != 1)
		return;
	start = c->sim->now;
	sim_add(c, &var, 1);
	took[0] = c->sim->now - start;
}

static void a_write_waits_for_the_farthest_copy(void **state)
{
	(void)state;
	sim_play(&machine, 8, write_shared);
	assert_int_equal(took[0], machine.remote + machine.rmw);
	assert_int_equal(took[1], machine.hit + machine.rmw);
	assert_int_equal(var.value, 2);
	sim_play(&machine, 2, write_shared);
	assert_int_equal(took[0], machine.local + machine.rmw);
}

static void a_write_to_a_shared_line_may_cost_less(void **state)
{
	struct topo cheap = machine;

	(void)state;
	cheap.upgrade = 20 * SIM_NS;
	sim_play(&cheap, 8, write_shared);
	assert_int_equal(took[0], cheap.upgrade + machine.rmw);
	assert_int_equal(took[1], machine.hit + machine.rmw);
	/* Without a copy the way is as long as ever. */
	sim_play(&cheap, 2, store_alone);
	assert_int_equal(took[0], machine.local + machine.rmw);
	/* No write becomes dearer. */
	cheap.upgrade = 300 * SIM_NS;
	sim_play(&cheap, 8, write_shared);
	assert_int_equal(took[0], machine.remote + machine.rmw);
}

/* 0 fails to exchange; 1, which spins, has to fetch the line again. */
static void fail_and_watch(struct sim_cpu *c)
{
	delay_until(c, 10 * SIM_US);
	sim_read(c, &var);
	if (c->id) {
		took[1] = sim_watch(c, &var, 50 * SIM_US);
		took[2] = c->sim->now;
		took[3] = sim_watch(c, &var, 50 * SIM_US);
		took[4] = c->sim->now;
		return;
	}
	delay_until(c, 20 * SIM_US);
	assert_int_equal(sim_cas(c, &var, 1, 2), 0);
	took[0] = c->sim->now;
}

static void a_failed_exchange_takes_the_line_too(void **state)
{
	(void)state;
	sim_play(&machine, 2, fail_and_watch);
	assert_int_equal(var.value, 0);
	assert_true(took[1]);
	assert_int_equal(took[2] - took[0], machine.local);
	assert_false(took[3]);
	assert_int_equal(took[4], 50 * SIM_US);
}

/* A store does not stop the CPU, an atomic waits for it. */
static void store_then_add(struct sim_cpu *c)
{
	sim_time start;

	delay_until(c, 10 * SIM_US);
	if (c->id != 1)
		return;
	start = c->sim->now;
	sim_store(c, &var, 0xff, 7);
	took[0] = c->sim->now - start;
	assert_int_equal(sim_add(c, &var, 1), 7);
	took[1] = c->sim->now - start;
}

static void stores_are_visible_later(void **state)
{
	(void)state;
	sim_play(&machine, 2, store_then_add);
	assert_int_equal(took[0], 0);
	assert_int_equal(took[1], machine.local + machine.hit + machine.rmw);
	assert_int_equal(var.value, 8);
}

static int served[16], count;

static void add_at_once(struct sim_cpu *c)
{
	delay_until(c, 10 * SIM_US + c->id);
	sim_add(c, &var, 1);
	served[count++] = c->id;
}

static void requests_are_served_in_order_or_at_random(void **state)
{
	struct topo t = {
		.sockets = 1, .cores = 16, .smt = 1, .hit = SIM_NS, .local = 50 * SIM_NS
	};
	int random = 0;

	(void)state;
	count = 0;
	sim_play(&t, 16, add_at_once);
	for (int i = 0; i < 16; i++)
		assert_int_equal(served[i], i);
	t.random = true;
	count = 0;
	sim_play(&t, 16, add_at_once);
	assert_int_equal(count, 16);
	for (int i = 0; i < 16; i++)
		random += served[i] != i;
	assert_true(random > 4);
	assert_int_equal(var.value, 16);
}

static void cpus_are_numbered_as_by_linux(void **state)
{
	const struct topo t = { .sockets = 2, .cores = 48, .smt = 2 };

	(void)state;
	assert_int_equal(topo_place(&t, 47).socket, 0);
	assert_int_equal(topo_place(&t, 48).socket, 1);
	assert_int_equal(topo_place(&t, 96).socket, 0);
	assert_int_equal(topo_place(&t, 96).core, topo_place(&t, 0).core);
	assert_int_equal(topo_place(&t, 191).socket, 1);
}

int test_core(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(earlier_events_come_first),
		cmocka_unit_test(reads_cost_the_way),
		cmocka_unit_test(a_line_serves_one_read_at_a_time),
		cmocka_unit_test(a_write_waits_for_the_farthest_copy),
		cmocka_unit_test(a_write_to_a_shared_line_may_cost_less),
		cmocka_unit_test(a_failed_exchange_takes_the_line_too),
		cmocka_unit_test(stores_are_visible_later),
		cmocka_unit_test(requests_are_served_in_order_or_at_random),
		cmocka_unit_test(cpus_are_numbered_as_by_linux),
	};

	return cmocka_run_group_tests_name("sim-core", tests, NULL, NULL);
}
