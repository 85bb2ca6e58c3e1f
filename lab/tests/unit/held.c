// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock with a table of held locks: what is in the table, and its verdicts. */
#include <errno.h>

#include "unit.h"
#include "../../locks/held.h"

#define WAITERS 3

static struct qspinlock locks[HELD_ENTRIES + 4];

static u32 nr_entries(int cpu)
{
	return per_cpu(held_table.n, cpu);
}

static const void *entry_at(int cpu, int no)
{
	return per_cpu(held_table.lock[no], cpu);
}

static void test_entries(void **state)
{
	assert_int_equal(held_lock(&locks[0]), 0);
	assert_int_equal(held_lock(&locks[1]), 0);
	assert_int_equal(nr_entries(0), 2);
	assert_ptr_equal(entry_at(0, 0), &locks[0]);
	assert_ptr_equal(entry_at(0, 1), &locks[1]);
	held_unlock(&locks[1]);
	assert_null(entry_at(0, 1));
	held_unlock(&locks[0]);
	assert_null(entry_at(0, 0));
	assert_int_equal(nr_entries(0), 0);
}

static void test_aa(void **state)
{
	assert_int_equal(held_lock(&locks[0]), 0);
	assert_int_equal(held_lock(&locks[0]), -EDEADLK);
	assert_int_equal(nr_entries(0), 1);
	held_unlock(&locks[0]);
	assert_int_equal(atomic_read(&locks[0].val), 0);
}

/* A lock without an entry is acquired all the same, but only the time limit ends its deadlock. */
static void test_full(void **state)
{
	int i, n = ARRAY_SIZE(locks);
	u64 start;

	for (i = 0; i < n; i++)
		assert_int_equal(held_lock(&locks[i]), 0);
	assert_int_equal(held_lock(&locks[0]), -EDEADLK);
	start = shim_clock();
	assert_int_equal(held_lock(&locks[n - 1]), -ETIMEDOUT);
	assert_true(shim_clock() - start >= 250 * NSEC_PER_MSEC);
	while (i--)
		held_unlock(&locks[i]);
	assert_int_equal(nr_entries(0), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(atomic_read(&locks[i].val), 0);
}

struct pair {
	struct lab_barrier barrier;
	int ret[2];
};

static void pair_member(int cpu, void *arg)
{
	struct pair *p = arg;

	p->ret[cpu] = held_lock(&locks[cpu]);
	lab_meet(&p->barrier);
	p->ret[cpu] = held_lock(&locks[!cpu]);
	if (!p->ret[cpu])
		held_unlock(&locks[!cpu]);
	held_unlock(&locks[cpu]);
}

static void test_pair(void **state)
{
	struct pair p = { .barrier.n = 2 };

	lab_team(2, pair_member, &p);
	assert_true(p.ret[0] == -EDEADLK || p.ret[1] == -EDEADLK);
	assert_true(p.ret[0] != -ETIMEDOUT && p.ret[1] != -ETIMEDOUT);
	assert_int_equal(atomic_read(&locks[0].val) | atomic_read(&locks[1].val), 0);
	assert_int_equal(nr_entries(0) | nr_entries(1), 0);
}

struct stall {
	struct lab_barrier barrier;
	u32 gone;
	int ret[WAITERS + 1];
};

/* CPU 0 owns the lock until all others have given up. */
static void stall_member(int cpu, void *arg)
{
	struct stall *s = arg;

	if (!cpu)
		s->ret[0] = held_lock(&locks[0]);
	lab_meet(&s->barrier);
	if (!cpu) {
		lab_wait_u32(&s->gone, WAITERS);
		held_unlock(&locks[0]);
		return;
	}
	s->ret[cpu] = held_lock(&locks[0]);
	lab_add_u32(&s->gone);
}

static void test_stall(void **state)
{
	struct stall s = { .barrier.n = WAITERS + 1 };
	int i;

	lab_team(WAITERS + 1, stall_member, &s);
	assert_int_equal(s.ret[0], 0);
	for (i = 1; i <= WAITERS; i++)
		assert_int_equal(s.ret[i], -ETIMEDOUT);
	assert_int_equal(atomic_read(&locks[0].val), 0);
	for (i = 0; i <= WAITERS; i++)
		assert_int_equal(nr_entries(i), 0);
}

void unit_held(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries), cmocka_unit_test(test_aa),
		cmocka_unit_test(test_full),	cmocka_unit_test(test_pair),
		cmocka_unit_test(test_stall),
	};

	unit_run(sum, tests);
}
