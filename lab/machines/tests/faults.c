// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Deadlocks are found, by the lock that can, and when it says; virtual CPUs run in turns. */
#include <string.h>

#include "core/host.h"
#include "run/fault.h"
#include "run/run.h"
#include "tests/suites.h"

static struct fault_result fault_stage(const char *lock, int parties)
{
	struct fault_result r;
	struct job j;

	job_defaults(&j);
	j.ops = lock_find(lock);
	j.parties = parties;
	j.threads = parties;
	j.rounds = 5;
	assert_int_equal(run_fault(&j, &r), 0);
	return r;
}

static void our_locks_find_every_cycle(void **state)
{
	const char *const locks[] = { "queue", "tas", "hybrid" };
	const int parties[] = { 1, 2, 3, 8, 32 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (size_t k = 0; k < sizeof(parties) / sizeof(parties[0]); k++) {
			struct fault_result r = fault_stage(locks[i], parties[k]);

			assert_int_equal(r.deadlocks, 5);
			assert_true(parties[k] == 1 ? r.max < 20 : r.p50 > 200);
			assert_true(r.max < 20000);
		}
	}
}

static void tables_find_pairs_after_a_millisecond(void **state)
{
	struct fault_result r = fault_stage("held-table", 1);

	(void)state;
	assert_int_equal(r.deadlocks, 5);
	assert_true(r.max < 100);
	r = fault_stage("held-table", 2);
	assert_int_equal(r.deadlocks, 5);
	assert_true(r.p50 >= 1e6 && r.max < 3e6);
	r = fault_stage("held-table", 3);
	assert_int_equal(r.timeouts, 5);
}

/* A locked byte alone does not name CPUs from 254 on. */
static void high_cpus_are_found_too(void **state)
{
	struct fault_result r;
	struct job j;

	(void)state;
	job_defaults(&j);
	j.topo = (struct topo){ .sockets = 2,
				.cores = 150,
				.smt = 1,
				.hit = SIM_NS,
				.local = 50 * SIM_NS,
				.remote = 100 * SIM_NS,
				.pause = SIM_NS };
	j.ops = lock_find("queue");
	j.parties = 30;
	j.threads = 300;
	j.rounds = 3;
	j.ncs = 100 * SIM_US;
	assert_int_equal(run_fault(&j, &r), 0);
	assert_int_equal(r.deadlocks, 3);
}

static struct result load_overcommit(const char *lock, int vcpus)
{
	struct result r;
	struct job j;

	job_defaults(&j);
	j.ops = lock_find(lock);
	j.threads = vcpus;
	j.host.pcpus = 4;
	j.cs = 2 * SIM_US;
	j.ncs = 20 * SIM_US;
	j.warm = 1 * SIM_MS;
	j.span = 60 * SIM_MS;
	j.acquisitions = 1000000;
	assert_int_equal(run_job(&j, &r), 0);
	return r;
}

static void virtual_cpus_take_turns(void **state)
{
	const char *const locks[] = { "unfair", "pv", "hybrid-pv", "hybrid" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct result even = load_overcommit(locks[i], 4),
			      over = load_overcommit(locks[i], 8);

		assert_int_equal(even.preempted, 0);
		assert_true(over.preempted >= 4);
		assert_true(over.acquisitions > 100);
		assert_int_equal(over.errors, 0);
	}
}

static void waiters_halt_and_are_kicked(void **state)
{
	const char *const locks[] = { "pv", "hybrid" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct result r = load_overcommit(locks[i], 12);

		assert_true(r.halts > 0 && r.kicks > 0);
		assert_true(r.queued > 0 && r.unfair > 0);
	}
	assert_int_equal(load_overcommit("unfair", 12).halts, 0);
}

int test_faults(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_locks_find_every_cycle),
		cmocka_unit_test(tables_find_pairs_after_a_millisecond),
		cmocka_unit_test(high_cpus_are_found_too),
		cmocka_unit_test(virtual_cpus_take_turns),
		cmocka_unit_test(waiters_halt_and_are_kicked),
	};

	return cmocka_run_group_tests_name("sim-faults", tests, NULL, NULL);
}
