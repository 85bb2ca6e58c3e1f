// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The locks in C: what their accesses cost and see, and figures of the same locks in the dialect.
 */
#include "c/access.h"
#include "c/glue.h"
#include "c/memory.h"
#include "core/host.h"
#include "locks/watch.h"
#include "run/fault.h"
#include "run/run.h"
#include "tests/suites.h"

static struct sim_lock lock;
static struct c_area area;
static void (*script)(struct sim_cpu *);
static bool done;

static void cpu_stay_idle(struct sim_cpu *c)
{
	for (;;)
		sim_delay(c, 1000 * SIM_MS);
}

/* CPU 1 runs the script; the line of the lock is CPU 0's at first. */
static void cpu_run_script(struct sim_cpu *c)
{
	if (c->id == 1) {
		script(c);
		done = true;
		c->sim->stop = true;
	}
	cpu_stay_idle(c);
}

static void script_play(void (*code)(struct sim_cpu *))
{
	struct sim s;
	struct job j;

	script = code;
	done = false;
	job_defaults(&j);
	assert_int_equal(sim_init(&s, &j.topo, 2, 1, cpu_run_script), 0);
	assert_int_equal(lock_init(&lock, lock_find("c:ticket"), &s, 0), 0);
	c_glue_reset(2, &area);
	sim_run(&s, SIM_MS);
	lock_done(&lock);
	sim_free(&s);
	assert_true(done);
}

static void store_and_load(struct sim_cpu *c)
{
	uint32_t *word = c_memory_of(&lock);
	sim_time start = c->sim->now;

	c_store(word, 1, 7);
	assert_int_equal(c_load(word, 1), 7);
	assert_int_equal(*word, 0); /* other CPUs do not see it yet */
	assert_int_equal(c->sim->now, start);
	assert_int_equal(c_load(word, 4), 7);
	assert_int_equal(*word, 7);
	assert_true(c->sim->now - start >= c->sim->topo.local);
}

static void a_store_is_seen_by_its_cpu_first(void **state)
{
	(void)state;
	script_play(store_and_load);
}

static void two_stores(struct sim_cpu *c)
{
	uint32_t *word = c_memory_of(&lock), *own = (uint32_t *)(area.start + area.stride);
	uint32_t was = *own;

	c_store(word, 4, 7);
	c_store(own, 4, was + 1);
	assert_int_equal(*own, was); /* although its line is at hand */
	sim_drain(c);
	assert_int_equal(*own, was + 1);
}

static void stores_keep_their_order(void **state)
{
	(void)state;
	script_play(two_stores);
}

static void add_parts(struct sim_cpu *c)
{
	uint32_t *word = c_memory_of(&lock);

	(void)c;
	word[0] = UINT32_MAX;
	assert_int_equal(c_rmw(SIM_ADD, word, 4, 2, 0, __ATOMIC_ACQUIRE), UINT32_MAX);
	assert_int_equal(c_rmw(SIM_OR, (char *)word + 1, 1, 0x81, 0, __ATOMIC_ACQUIRE), 0);
	assert_int_equal(c_rmw(SIM_AND, word, 2, 0x80ff, 0, __ATOMIC_ACQUIRE), 0x8101);
	assert_int_equal(c_rmw(SIM_CAS, word, 1, 9, 2, __ATOMIC_ACQUIRE), 1);
	assert_int_equal(c_rmw(SIM_CAS, word, 1, 9, 1, __ATOMIC_ACQUIRE), 1);
	assert_int_equal(c_rmw(SIM_SWAP, (char *)word + 2, 2, 3, 0, __ATOMIC_ACQUIRE), 0);
	assert_int_equal(word[0], 0x00038009);
	assert_int_equal(word[1], 0);
}

static void an_atomic_changes_its_bits_only(void **state)
{
	(void)state;
	script_play(add_parts);
}

static void read_data(struct sim_cpu *c)
{
	const struct topo *t = &c->sim->topo;
	sim_time start = c->sim->now;
	uint32_t local = 3;

	assert_int_equal(c_load(&local, 4), 3);
	assert_int_equal(c_now(), start);
	c_load(area.start + area.stride, 4);
	assert_int_equal(c->sim->now, start);
	assert_int_equal(c_now(), start + t->hit);
	c_load(area.start, 4); /* of CPU 0 */
	assert_int_equal(c->sim->now, start + t->hit + t->local);
	assert_int_equal(c_now(), c->sim->now);
}

static void own_data_costs_a_hit(void **state)
{
	(void)state;
	script_play(read_data);
}

static struct result run_load(const char *name, int threads)
{
	struct result r;
	struct job j;

	job_defaults(&j);
	j.ops = lock_find(name);
	j.threads = threads;
	j.cs = 50 * SIM_NS;
	j.acquisitions = 2000;
	assert_int_equal(run_job(&j, &r), 0);
	assert_true(r.rate > 0);
	return r;
}

/* These two are the same code, access by access, in both forms. */
static void the_same_code_has_the_same_figures(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 30; threads *= 3) {
		struct result c = run_load("c:test-and-set", threads);
		struct result dialect = run_load("unfair", threads);

		c.unfair = dialect.unfair; /* which only the dialect counts */
		assert_memory_equal(&c, &dialect, sizeof(c));
	}
}

/* The release in C reads what it adds to. Nothing else differs when nobody waits. */
static void a_free_ticket_lock_costs_the_same(void **state)
{
	double ratio = run_load("c:ticket", 1).rate / run_load("ticket", 1).rate;

	(void)state;
	assert_true(ratio > 0.98 && ratio < 1);
}

/* The memory of the locks' C is the program's, not the simulation's. */
static void the_runs_before_leave_nothing_behind(void **state)
{
	struct result first = run_load("c:queue", 24), again;

	(void)state;
	run_load("c:tas", 70);
	run_load("c:cna", 9);
	again = run_load("c:queue", 24);
	assert_memory_equal(&first, &again, sizeof(first));
}

static void expect_deadlocks(const char *name, int parties)
{
	struct fault_result r;
	struct job j;

	job_defaults(&j);
	j.ops = lock_find(name);
	j.parties = j.threads = parties;
	j.rounds = 5;
	assert_int_equal(run_fault(&j, &r), 0);
	assert_int_equal(r.deadlocks, 5);
	assert_true(parties == 1 ? r.max < 50 : r.p50 > 200);
	assert_true(r.max < 20000);
}

static void our_locks_find_every_cycle(void **state)
{
	const char *const locks[] = { "c:queue", "c:tas", "c:hybrid" };
	const int parties[] = { 1, 2, 3, 8, 32 };

	(void)state;
	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < sizeof(parties) / sizeof(parties[0]); k++)
			expect_deadlocks(locks[i], parties[k]);
}

static void waiters_halt_and_are_kicked(void **state)
{
	struct result r;
	struct job j;

	(void)state;
	job_defaults(&j);
	j.ops = lock_find("c:hybrid");
	j.threads = 12;
	j.host.pcpus = 6;
	j.host.slice = SIM_MS;
	j.cs = 20 * SIM_US;
	j.acquisitions = 500;
	assert_int_equal(run_job(&j, &r), 0);
	assert_int_equal(r.errors, 0);
	assert_true(r.halts > 0 && r.kicks > 0);
}

int test_c(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_is_seen_by_its_cpu_first),
		cmocka_unit_test(stores_keep_their_order),
		cmocka_unit_test(an_atomic_changes_its_bits_only),
		cmocka_unit_test(own_data_costs_a_hit),
		cmocka_unit_test(the_same_code_has_the_same_figures),
		cmocka_unit_test(a_free_ticket_lock_costs_the_same),
		cmocka_unit_test(the_runs_before_leave_nothing_behind),
		cmocka_unit_test(our_locks_find_every_cycle),
		cmocka_unit_test(waiters_halt_and_are_kicked),
	};

	return cmocka_run_group_tests_name("sim-c", tests, NULL, NULL);
}
