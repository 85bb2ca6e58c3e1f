// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every lock of the table: one owner at a time, progress, order, the same run for the same seed. */
#include <stdio.h>
#include <string.h>

#include "locks/watch.h"
#include "run/run.h"
#include "tests/suites.h"

#define THREADS 12
#define MANY	70

static struct sim_lock lock;
static int inside, most, entered, order[MANY], rounds;

static void lock_hold(struct sim_cpu *c)
{
	if (++inside > most)
		most = inside;
	sim_delay(c, 70 * SIM_NS);
	inside--;
	entered++;
}

static void lock_storm(struct sim_cpu *c)
{
	for (;;) {
		assert_int_equal(lock.ops->acquire(c, &lock), 0);
		lock_hold(c);
		lock.ops->release(c, &lock);
		sim_delay(c, rng_below(&c->sim->rng, 200) * SIM_NS);
		if (entered > 3000)
			c->sim->stop = true;
	}
}

/* One after the other comes while the first one holds the lock. */
static void in_order(struct sim_cpu *c)
{
	sim_delay(c, (1 + c->id) * 2 * SIM_US - c->sim->now);
	assert_int_equal(lock.ops->acquire(c, &lock), 0);
	order[rounds++] = c->id;
	sim_delay(c, c->id ? SIM_NS : 2 * (MANY + 1) * SIM_US);
	lock.ops->release(c, &lock);
	for (;;)
		sim_delay(c, 1000 * SIM_MS);
}

static void play_on(const struct topo *topo, const struct lock_ops *ops, int threads,
		    void (*code)(struct sim_cpu *))
{
	struct sim_lock *index[] = { &lock };
	struct world *w;
	struct sim s;

	inside = most = entered = rounds = 0;
	assert_int_equal(sim_init(&s, topo, threads, 1, code), 0);
	assert_int_equal(lock_init(&lock, ops, &s, 0), 0);
	w = world_new(&s, index, 1);
	assert_non_null(w);
	sim_run(&s, 50 * SIM_MS);
	world_free(w);
	lock_done(&lock);
	sim_free(&s);
}

static void play_on_one(const struct lock_ops *ops, int threads, void (*code)(struct sim_cpu *))
{
	struct job j;

	job_defaults(&j);
	play_on(&j.topo, ops, threads, code);
}

/* Each round of its waiting loops is an event. */
static bool is_too_slow(const char *lock, int threads)
{
	return threads > 17 && !strcmp(lock, "c:hybrid");
}

static void one_owner_at_a_time(void **state)
{
	const int threads[] = { 1, 2, 3, 17, 70 };

	(void)state;
	for (int i = 0; lock_at(i); i++) {
		for (size_t k = 0; k < sizeof(threads) / sizeof(threads[0]); k++) {
			if (is_too_slow(lock_at(i)->name, threads[k]))
				continue;
			play_on_one(lock_at(i), threads[k], lock_storm);
			if (most != 1 || entered <= 3000)
				fail_msg("%s, %d threads: %d owners, %d sections", lock_at(i)->name,
					 threads[k], most, entered);
		}
	}
}

static bool is_left_out(const char *lock)
{
	return !strncmp(lock, "c:", 2) && !lock_has_c();
}

static void waiters_are_served_in_order(void **state)
{
	const char *const fifo[] = { "ticket",
				     "ticket-50x",
				     "ticket-auto",
				     "qspinlock",
				     "qspinlock-cmpxchg",
				     "queue",
				     "cna",
				     "c:ticket",
				     "c:ticket-50x",
				     "c:ticket-auto",
				     "c:qspinlock",
				     "c:queued-cmpxchg",
				     "c:queued-store",
				     "c:queue",
				     "c:cna",
				     "c:held-table" };

	(void)state;
	for (size_t i = 0; i < sizeof(fifo) / sizeof(fifo[0]); i++) {
		if (is_left_out(fifo[i]))
			continue;
		play_on_one(lock_find(fifo[i]), THREADS, in_order);
		assert_int_equal(rounds, THREADS);
		for (int k = 0; k < THREADS; k++)
			if (order[k] != k)
				fail_msg("%s: %d came as number %d", fifo[i], order[k], k);
	}
}

/*
 * Waiters come from two sockets in turn: first all of one are served, then those passed over. The
 * first two did not queue.
 */
static void serve_two_sockets(const char *lock, int threads)
{
	int changes = 0;
	struct job j;

	job_defaults(&j);
	j.topo.spread = true;
	play_on(&j.topo, lock_find(lock), threads, in_order);
	assert_int_equal(rounds, threads);
	for (int k = 3; k < threads; k++) {
		bool same = topo_place(&j.topo, order[k]).socket ==
			    topo_place(&j.topo, order[k - 1]).socket;

		changes += !same;
		assert_true(!same || order[k] > order[k - 1]);
	}
	assert_int_equal(changes, 1);
}

/* The last one in the queue is of the other socket, and of the same. */
static void cna_changes_the_socket_once(void **state)
{
	(void)state;
	serve_two_sockets("cna", MANY);
	serve_two_sockets("cna", MANY - 1);
	if (is_left_out("c:cna"))
		return;
	serve_two_sockets("c:cna", MANY);
	serve_two_sockets("c:cna", MANY - 1);
}

static void a_seed_names_a_run(void **state)
{
	struct result a, b, other;
	struct job j;

	(void)state;
	job_defaults(&j);
	j.threads = 20;
	j.acquisitions = 2000;
	j.ncs = 3 * SIM_US; /* a queue that is never empty has one rate, whatever the seed */
	for (int i = 0; lock_at(i); i++) {
		j.ops = lock_at(i);
		j.seed = 1;
		assert_int_equal(run_job(&j, &a), 0);
		assert_int_equal(run_job(&j, &b), 0);
		assert_memory_equal(&a, &b, sizeof(a));
		j.seed = 2;
		assert_int_equal(run_job(&j, &other), 0);
		assert_true(a.seconds != other.seconds);
	}
}

/* Alone, a lock costs an atomic and a store: nothing that depends on the other CPUs. */
static void a_free_lock_costs_an_atomic(void **state)
{
	struct result r;
	struct job j;

	(void)state;
	job_defaults(&j);
	j.threads = 1;
	j.cs = j.ncs = 0;
	for (int i = 0; lock_at(i); i++) {
		j.ops = lock_at(i);
		assert_int_equal(run_job(&j, &r), 0);
		if (r.rate < 0.5e9 / 8 || r.rate > 1.01e9 / 7)
			fail_msg("%s: %g a second", j.ops->name, r.rate);
	}
}

int test_locks(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_owner_at_a_time),
		cmocka_unit_test(waiters_are_served_in_order),
		cmocka_unit_test(cna_changes_the_socket_once),
		cmocka_unit_test(a_seed_names_a_run),
		cmocka_unit_test(a_free_lock_costs_an_atomic),
	};

	return cmocka_run_group_tests_name("sim-locks", tests, NULL, NULL);
}
