// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queued spin lock twice, which differ in how the head of the queue takes the lock while somebody
 * is behind it: by a compare-and-exchange of the whole word, which fails and is repeated when the
 * tail has changed meanwhile, or by a store to the locked byte (Waiman Long, "locking/qspinlock:
 * Use a simple write to grab the lock", 2015). Word, pending bit and queue are those of Peter
 * Zijlstra's and Waiman Long's qspinlock.
 */
#include "locks.h"
#include "nodes.h"

static u32 wait_as_head(struct qspinlock *lock)
{
	return atomic_cond_read_acquire(&lock->val, !(VAL & _Q_LOCKED_PENDING_MASK));
}

/* True: nobody is behind. */
static bool take_by_cmpxchg(struct qspinlock *lock, u32 tail)
{
	int val = wait_as_head(lock);
	bool alone;
	u32 new;

	do {
		alone = (u32)val == tail;
		new = alone ? _Q_LOCKED_VAL : val | _Q_LOCKED_VAL;
	} while (!atomic_try_cmpxchg_acquire(&lock->val, &val, new));
	return alone;
}

static bool take_by_store(struct qspinlock *lock, u32 tail)
{
	int val = wait_as_head(lock);

	if ((u32)val == tail && atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL))
		return true;
	WRITE_ONCE(lock->locked, _Q_LOCKED_VAL);
	return false;
}

static __always_inline void wait_in_queue(struct qspinlock *lock,
					  bool (*take)(struct qspinlock *lock, u32 tail))
{
	u32 tail;
	struct lab_node *node = lab_node_get(&tail);

	if (!queued_spin_trylock(lock)) {
		if (lab_queue_join(lock, node, tail))
			smp_cond_load_acquire(&node->turn, VAL);
		if (!take(lock, tail))
			smp_store_release(&lab_node_next(node)->turn, 1);
	}
	lab_node_put();
}

static noinline void lock_by_cmpxchg(struct qspinlock *lock, u32 val)
{
	if (lab_settled(lock, val) & ~_Q_LOCKED_MASK || !lab_wait_as_next(lock))
		wait_in_queue(lock, take_by_cmpxchg);
}

static noinline void lock_by_store(struct qspinlock *lock, u32 val)
{
	if (lab_settled(lock, val) & ~_Q_LOCKED_MASK || !lab_wait_as_next(lock))
		wait_in_queue(lock, take_by_store);
}

static __always_inline int lock_or(struct qspinlock *lock, void (*slow)(struct qspinlock *, u32))
{
	int val = 0;

	if (unlikely(!atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)))
		slow(lock, val);
	return 0;
}

#define LAB_ID		 queued_cmpxchg
#define LAB_NAME	 "queued-cmpxchg"
#define LAB_ABOUT	 "a queued lock whose head takes it by cmpxchg"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 lock_or(&(l)->queued, lock_by_cmpxchg)
#define LAB_UNLOCK(l, c) queued_spin_unlock(&(l)->queued)
#include "loops.h"

#define LAB_ID		 queued_store
#define LAB_NAME	 "queued-store"
#define LAB_ABOUT	 "the same whose head takes it by a store"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 lock_or(&(l)->queued, lock_by_store)
#define LAB_UNLOCK(l, c) queued_spin_unlock(&(l)->queued)
#include "loops.h"
