// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The order in which waiters of two sockets are served. */
#include "unit.h"
#include "../../locks/cna.h"
#include "../../locks/nodes.h"

#define WAITERS 4

struct line {
	struct lab_barrier barrier;
	int order[WAITERS], served;
};

static union lab_lock lock;

/* CPU i + 1 joins when CPU i is the last of the queue: the word names it. */
static void line_member(int cpu, void *arg)
{
	const struct lab_ops *cna = lab_lock_named("cna");
	struct line *l = arg;

	if (cpu == 0) {
		cna->lock(&lock, NULL);
		/*
		 * CPU 1 sets the pending bit as if another CPU had it, so that all waiters queue.
		 */
		lab_meet(&l->barrier);
		while (READ_ONCE(lock.word) >> _Q_TAIL_CPU_OFFSET != WAITERS + 1)
			lab_poll();
		cna->unlock(&lock, NULL);
		return;
	}
	lab_meet(&l->barrier);
	if (cpu == 1)
		__atomic_fetch_or(&lock.word, _Q_PENDING_VAL, __ATOMIC_RELAXED);
	while (cpu > 1 && READ_ONCE(lock.word) >> _Q_TAIL_CPU_OFFSET != (u32)cpu)
		lab_poll();
	cna->lock(&lock, NULL);
	l->order[l->served++] = cpu;
	cna->unlock(&lock, NULL);
}

/* Clears the test's pending bit when all waiters are queued. */
static void line_serve(int cpu, void *arg)
{
	if (cpu <= WAITERS) {
		line_member(cpu, arg);
		return;
	}
	lab_meet(&((struct line *)arg)->barrier);
	while (READ_ONCE(lock.word) >> _Q_TAIL_CPU_OFFSET != WAITERS + 1)
		lab_poll();
	__atomic_fetch_and(&lock.word, ~_Q_PENDING_VAL, __ATOMIC_RELAXED);
}

static void check_order(int sockets, u32 mask, const int *want)
{
	struct line l = { .barrier.n = WAITERS + 2 };
	int i;

	cna_sockets = sockets;
	cna_mask = mask;
	lab_lock_named("cna")->init(&lock);
	lab_team(WAITERS + 2, line_serve, &l);
	cna_sockets = 1;
	cna_mask = 0xffff;
	assert_int_equal(lock.word, 0);
	assert_int_equal(l.served, WAITERS);
	for (i = 0; i < WAITERS; i++)
		assert_int_equal(l.order[i], want[i]);
}

static void test_one_socket(void **state)
{
	check_order(1, ~0U, (int[]){ 1, 2, 3, 4 });
}

/* The first hand-over is by CPU 1: CPU 3 is on its socket. */
static void test_two_sockets(void **state)
{
	check_order(2, ~0U, (int[]){ 1, 3, 2, 4 });
}

/* Every hand-over prefers waiters that were passed over, and there are none. */
static void test_always_fair(void **state)
{
	check_order(2, 0, (int[]){ 1, 2, 3, 4 });
}

void unit_cna(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_socket),
		cmocka_unit_test(test_two_sockets),
		cmocka_unit_test(test_always_fair),
	};

	unit_run(sum, tests);
}
