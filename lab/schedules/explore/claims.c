// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the head of a queue takes the lock in upstream's resilient lock: a model written from
 * docs/lock.md (section 7). It has no time limits, so a wait that nobody ends is a hang. If a CPU
 * attempts a lock twice (an NMI on top of a waiter, say), it finds the first attempt in its table
 * of held locks and leaves with -EDEADLK before it queues. By then it may have had the pending bit
 * for an instant, and the head may have seen the bit: a CPU that had the bit need not queue.
 * Details that do not matter for that, such as the bounded wait for a hand-over, are left out so
 * that the search can be complete.
 */
#include "claims.h"
#include "../../locks/nodes.h"

/* A queue node, one for each context of a CPU. */
struct claim_node {
	struct claim_node *next;
	u32 turn;
};

DEFINE_PER_CPU_ALIGNED(struct claim_own, claim_own);
static DEFINE_PER_CPU_ALIGNED(struct claim_node, claim_nodes[CLAIM_DEPTH]);

static void claim_push(struct qspinlock *lock)
{
	struct claim_own *own = this_cpu_ptr(&claim_own);

	if (own->held >= CLAIM_DEPTH)
		__builtin_trap();
	own->lock[own->held++] = lock;
}

static void claim_pop(void)
{
	this_cpu_ptr(&claim_own)->held--;
}

/* Does this CPU hold @lock, or attempt it in a context below this one? The latest entry is ours. */
static bool claim_attempted(const struct qspinlock *lock)
{
	const struct claim_own *own = this_cpu_ptr(&claim_own);
	u32 i;

	for (i = 0; i + 1 < own->held; i++) {
		if (own->lock[i] == lock)
			return true;
	}
	return false;
}

/* Clears the tail if it is still @tail. */
static bool claim_tail_take_back(struct qspinlock *lock, u32 tail)
{
	int val = atomic_read(&lock->val);

	while ((val & _Q_TAIL_MASK) == tail) {
		if (atomic_try_cmpxchg_relaxed(&lock->val, &val, val & ~_Q_TAIL_MASK))
			return true;
	}
	return false;
}

static void claim_lock_head(struct qspinlock *lock, struct claim_node *node, u32 tail,
			    bool take_back)
{
	int val = atomic_cond_read_acquire(&lock->val, !(VAL & _Q_LOCKED_PENDING_MASK));

	if ((val & _Q_TAIL_MASK) == tail &&
	    atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL))
		return;
	WRITE_ONCE(lock->locked, _Q_LOCKED_VAL);
	if (take_back && !READ_ONCE(node->next) && claim_tail_take_back(lock, tail))
		return;
	smp_store_release(&smp_cond_load_relaxed(&node->next, VAL)->turn, 1);
}

static void claim_queue_join(struct qspinlock *lock, struct claim_node *node, u32 tail)
{
	u32 old = xchg_tail(lock, tail) & _Q_TAIL_MASK;
	int cpu = (old >> _Q_TAIL_CPU_OFFSET) - 1;
	int no = (old & _Q_TAIL_IDX_MASK) >> _Q_TAIL_IDX_OFFSET;

	if (!old)
		return;
	WRITE_ONCE(per_cpu_ptr(&claim_nodes[no], cpu)->next, node);
	smp_cond_load_acquire(&node->turn, VAL);
}

static int claim_lock_queued(struct qspinlock *lock, bool take_back)
{
	struct claim_own *own = this_cpu_ptr(&claim_own);
	int no = own->queued++, err = 0;
	struct claim_node *node = this_cpu_ptr(&claim_nodes[no]);
	u32 tail = encode_tail(smp_processor_id(), no);

	if (in_nmi() && no) {
		err = queued_spin_trylock(lock) ? 0 : -EDEADLK;
	} else {
		node->next = NULL;
		node->turn = 0;
		claim_queue_join(lock, node, tail);
		claim_lock_head(lock, node, tail, take_back);
	}
	own->queued--;
	return err;
}

/* Returns 1 if another CPU waits already. */
static int claim_lock_next(struct qspinlock *lock)
{
	u32 val = queued_fetch_set_pending_acquire(lock);

	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_MASK))
			clear_pending(lock);
		return 1;
	}
	if (val && claim_attempted(lock)) {
		clear_pending(lock);
		return -EDEADLK;
	}
	smp_cond_load_acquire(&lock->locked, !VAL);
	clear_pending_set_locked(lock);
	return 0;
}

static int claim_lock_slow(struct qspinlock *lock, u32 val, bool take_back)
{
	int err = val & ~_Q_LOCKED_MASK ? 1 : claim_lock_next(lock);

	if (err <= 0)
		return err;
	return claim_attempted(lock) ? -EDEADLK : claim_lock_queued(lock, take_back);
}

static int claim_lock(struct qspinlock *lock, bool take_back)
{
	int val = 0, err;

	claim_push(lock);
	if (atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL))
		return 0;
	err = claim_lock_slow(lock, val, take_back);
	if (err)
		claim_pop();
	return err;
}

static void claim_unlock(struct qspinlock *lock)
{
	smp_store_release(&lock->locked, 0);
	claim_pop();
}

#define LAB_ID		 claim_waits
#define LAB_NAME	 "claim-waits"
#define LAB_ABOUT	 "its head waits for whoever had the pending bit"
#define LAB_FLAGS	 LAB_RESILIENT
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 claim_lock(&(l)->queued, false)
#define LAB_UNLOCK(l, c) claim_unlock(&(l)->queued)
#include "../../locks/loops.h"

#define LAB_ID		 claim_takes_back
#define LAB_NAME	 "claim-takes-back"
#define LAB_ABOUT	 "its head takes the tail back if nobody is behind"
#define LAB_FLAGS	 LAB_RESILIENT
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 claim_lock(&(l)->queued, true)
#define LAB_UNLOCK(l, c) claim_unlock(&(l)->queued)
#include "../../locks/loops.h"
