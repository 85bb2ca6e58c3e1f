// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every lock of the table, except those of libraries: one owner at a time, no waiter is left
 * behind, no count is lost.
 */
#include <stdio.h>

#include "unit.h"

#define MAX_THREADS 4
#define ROUNDS	    2000

struct job {
	const struct lab_ops *ops;
	struct lab_barrier barrier;
	struct lab_ctx ctx[MAX_THREADS][2];
	int inside;
	u64 count; /* only the lock protects it */
	u64 two_inside, errors;
};

static union lab_lock lock, other;

static void section_run(struct job *j)
{
	if (__atomic_fetch_add(&j->inside, 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&j->two_inside, 1, __ATOMIC_RELAXED);
	j->count++;
	cpu_relax();
	__atomic_fetch_sub(&j->inside, 1, __ATOMIC_RELAXED);
}

static void share_member(int cpu, void *arg)
{
	struct job *j = arg;
	struct lab_ctx *c = j->ctx[cpu];
	int i;

	lab_meet(&j->barrier);
	for (i = 0; i < ROUNDS; i++) {
		if (j->ops->lock(&lock, &c[0])) {
			__atomic_fetch_add(&j->errors, 1, __ATOMIC_RELAXED);
			continue;
		}
		section_run(j);
		/* The owner takes another lock, which needs a queue node of its own. */
		if (!(i & 15) && !j->ops->lock(&other, &c[1]))
			j->ops->unlock(&other, &c[1]);
		j->ops->unlock(&lock, &c[0]);
	}
}

static void lock_share(const struct lab_ops *ops, int threads)
{
	struct job j = { .ops = ops, .barrier.n = threads };
	int i;

	ops->init(&lock);
	ops->init(&other);
	for (i = 0; i < threads; i++) {
		lab_ctx_init(&j.ctx[i][0]);
		lab_ctx_init(&j.ctx[i][1]);
	}
	lab_team(threads, share_member, &j);
	if (j.two_inside || j.errors || j.count != (u64)threads * ROUNDS)
		fail_msg("%s, %d threads: %llu times two inside, %llu errors, %llu counted of %d",
			 ops->name, threads, (unsigned long long)j.two_inside,
			 (unsigned long long)j.errors, (unsigned long long)j.count,
			 threads * ROUNDS);
}

static void test_share(void **state)
{
	int i, threads;

	for (i = 0; lab_locks[i]; i++) {
		if (lab_locks[i]->flags & (LAB_NO_LOCK | LAB_FOREIGN))
			continue;
		for (threads = 1; threads <= MAX_THREADS; threads++)
			lock_share(lab_locks[i], threads);
	}
}

/* Tests the test: without a lock, two threads must be inside at some time. */
static void test_no_lock(void **state)
{
	struct job j = { .ops = lab_lock_named("empty"), .barrier.n = MAX_THREADS };
	int i;

	for (i = 0; i < 100 && !j.two_inside; i++)
		lab_team(MAX_THREADS, share_member, &j);
	assert_true(j.two_inside);
}

void unit_exclusion(struct unit_sum *sum)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_lock),
		cmocka_unit_test(test_share),
	};

	unit_run(sum, tests);
}
