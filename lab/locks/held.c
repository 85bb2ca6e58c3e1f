// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "locks.h"
#include "held.h"
#include "nodes.h"

#define LIMIT_NEXT  (250 * NSEC_PER_MSEC)
#define LIMIT_HEAD  (500 * NSEC_PER_MSEC)
#define PAIRS_EVERY NSEC_PER_MSEC

/* Rounds of a waiting loop between two looks at the clock. */
#ifdef SHIM_EXTERN
#define HELD_SPINS 1
#else
#define HELD_SPINS 65536
#endif

/* What a waiter is told: it is the first now, or the first has given up for all. */
enum turn {
	TURN_FIRST = 1,
	TURN_TIMEOUT,
};

struct wait {
	struct qspinlock *lock;
	u64 limit, start, pairs;
	u32 spins;
};

DEFINE_PER_CPU_ALIGNED(struct held_table, held_table);

/* Does @cpu hold @lock? Its latest entry may be an attempt. */
static bool cpu_holds(int cpu, const void *lock)
{
	u32 i, n = min(READ_ONCE(per_cpu(held_table.n, cpu)), (u32)HELD_ENTRIES);

	for (i = 0; i + 1 < n; i++) {
		if (READ_ONCE(per_cpu(held_table.lock[i], cpu)) == lock)
			return true;
	}
	return false;
}

static const void *attempt_of(int cpu)
{
	u32 n = READ_ONCE(per_cpu(held_table.n, cpu));

	return n && n <= HELD_ENTRIES ? READ_ONCE(per_cpu(held_table.lock[n - 1], cpu)) : NULL;
}

/* Does a CPU hold @lock and attempt one that this CPU holds? The entries tell, not the words. */
static bool in_pair(const void *lock)
{
	int cpu, self = smp_processor_id();

	for_each_possible_cpu(cpu)
	{
		const void *wanted;

		if (cpu == self || !cpu_holds(cpu, lock))
			continue;
		wanted = attempt_of(cpu);
		if (wanted && wanted != lock && cpu_holds(self, wanted))
			return true;
	}
	return false;
}

static int wait_check(struct wait *w)
{
	u64 now;

	if (++w->spins < HELD_SPINS)
		return 0;
	w->spins = 0;
	now = ktime_get_mono_fast_ns();
	if (!w->start) {
		w->start = now;
		w->pairs = now;
		return 0;
	}
	if (now - w->start > w->limit)
		return -ETIMEDOUT;
	if (now - w->pairs < PAIRS_EVERY)
		return 0;
	w->pairs = now;
	return in_pair(w->lock) ? -EDEADLK : 0;
}

/* Until the bits of @mask are clear. */
static int wait_for(struct qspinlock *lock, u32 mask, u64 limit)
{
	struct wait w = { .lock = lock, .limit = limit };
	int err;

	while (smp_load_acquire((u32 *)&lock->val.counter) & mask) {
		err = wait_check(&w);
		if (err)
			return err;
		shim_relax_until(&lock->val,
				 w.start ? min(w.pairs + PAIRS_EVERY, w.start + limit + 1) : 0);
	}
	return 0;
}

/* 1: somebody else waits already. */
static int wait_as_next(struct qspinlock *lock)
{
	u32 val = queued_fetch_set_pending_acquire(lock);
	int err;

	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_MASK))
			clear_pending(lock);
		return 1;
	}
	err = wait_for(lock, _Q_LOCKED_MASK, LIMIT_NEXT);
	if (err)
		clear_pending(lock);
	else
		clear_pending_set_locked(lock);
	return err;
}

/* Without the lock: the next one is first now, or gives up as well. */
static void queue_leave(struct qspinlock *lock, struct lab_node *node, u32 tail, enum turn turn)
{
	u32 val = atomic_read(&lock->val);

	while ((val & _Q_TAIL_MASK) == tail) {
		if (atomic_try_cmpxchg_relaxed(&lock->val, (int *)&val, val & ~_Q_TAIL_MASK))
			return;
	}
	smp_store_release(&lab_node_next(node)->turn, turn);
}

static void lock_claim(struct qspinlock *lock, struct lab_node *node, u32 tail)
{
	int val = tail;

	if (atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL))
		return;
	WRITE_ONCE(lock->locked, _Q_LOCKED_VAL);
	smp_store_release(&lab_node_next(node)->turn, TURN_FIRST);
}

static int wait_in_queue(struct qspinlock *lock, struct lab_node *node, u32 tail)
{
	int err = 0;

	if (lab_queue_join(lock, node, tail) &&
	    smp_cond_load_acquire(&node->turn, VAL) == TURN_TIMEOUT)
		err = -ETIMEDOUT;
	if (!err)
		err = wait_for(lock, _Q_LOCKED_PENDING_MASK, LIMIT_HEAD);
	if (err)
		queue_leave(lock, node, tail, err == -ETIMEDOUT ? TURN_TIMEOUT : TURN_FIRST);
	else
		lock_claim(lock, node, tail);
	return err;
}

static int lock_queue(struct qspinlock *lock)
{
	u32 tail;
	struct lab_node *node = lab_node_get(&tail);
	int err = queued_spin_trylock(lock) ? 0 : wait_in_queue(lock, node, tail);

	lab_node_put();
	return err;
}

int held_lock_slow(struct qspinlock *lock, u32 val)
{
	int err = 1;

	if (cpu_holds(smp_processor_id(), lock))
		err = -EDEADLK;
	else if (!(lab_settled(lock, val) & ~_Q_LOCKED_MASK))
		err = wait_as_next(lock);
	if (err > 0)
		err = lock_queue(lock);
	if (err)
		held_pop();
	return err;
}

#define LAB_ID		 by_table
#define LAB_NAME	 "held-table"
#define LAB_ABOUT	 "a table of all held locks, as upstream's lock has"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_HELD | LAB_RIVAL)
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 held_lock(&(l)->queued)
#define LAB_UNLOCK(l, c) held_unlock(&(l)->queued)
#include "loops.h"
