/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A resilient queued lock with a table of held locks, written from what docs/lock.md (section 7)
 * says of upstream's lock and from nothing else: a yardstick for what that table costs.
 *
 * Every CPU has a table of the locks that it holds or attempts, in order. An entry is written
 * before the word is touched and removed after the release, so that an interrupt in between finds
 * it. Locks are released in the opposite order.
 */
#ifndef LAB_HELD_H
#define LAB_HELD_H

#include "shim.h"
#include <asm/qspinlock.h>

#define HELD_ENTRIES 31

struct held_table {
	u32 n;
	const void *lock[HELD_ENTRIES];
};

DECLARE_PER_CPU_ALIGNED(struct held_table, held_table);

/* Locks beyond the table are counted only: their deadlocks end by the time limit. */
static __always_inline void held_push(struct qspinlock *lock)
{
	u32 n = raw_cpu_read(held_table.n);

	this_cpu_inc(held_table.n);
	if (likely(n < HELD_ENTRIES))
		this_cpu_write(held_table.lock[n], (const void *)lock);
}

static __always_inline void held_pop(void)
{
	u32 n = raw_cpu_read(held_table.n) - 1;

	if (likely(n < HELD_ENTRIES))
		this_cpu_write(held_table.lock[n], (const void *)NULL);
	this_cpu_dec(held_table.n);
}

int held_lock_slow(struct qspinlock *lock, u32 val);

/**
 * held_lock() - acquire
 * @lock: the lock
 *
 * Return: 0; -EDEADLK if this CPU holds it, or its owner waits for a lock of this CPU; -ETIMEDOUT
 * after 250 ms as next in line, or when the first of the queue has waited for 500 ms.
 */
static __always_inline int held_lock(struct qspinlock *lock)
{
	int val = 0;

	held_push(lock);
	if (likely(atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)))
		return 0;
	return held_lock_slow(lock, val);
}

/**
 * held_unlock() - release the lock that this CPU acquired last
 * @lock: the lock
 */
static __always_inline void held_unlock(struct qspinlock *lock)
{
	smp_store_release(&lock->locked, 0);
	held_pop();
}

#endif /* LAB_HELD_H */
