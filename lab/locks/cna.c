// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "locks.h"
#include "cna.h"
#include "nodes.h"

int cna_sockets = 1;
const int *cna_places;
u32 cna_mask = 0xffff;

static DEFINE_PER_CPU(u32, cna_lot);

/* Stay on this socket? */
static bool cna_stays(void)
{
	u32 x = raw_cpu_read(cna_lot) ?: smp_processor_id() + 1U;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	raw_cpu_write(cna_lot, x);
	return x & cna_mask;
}

static void hand_over(struct lab_node *to, struct lab_node *second)
{
	to->tail = second;
	smp_store_release(&to->turn, 1);
}

/*
 * The second queue is a circle: its last one, which is what @tail of a node names, has its first
 * one behind it.
 */
static struct lab_node *cna_append(struct lab_node *second, struct lab_node *from,
				   struct lab_node *to)
{
	WRITE_ONCE(to->next, second ? second->next : from);
	if (second)
		WRITE_ONCE(second->next, from);
	return to;
}

/*
 * The first waiter of @socket from @next on; those in front of it join @second. NULL: none has
 * said that it is there.
 */
static struct lab_node *find_near(struct lab_node *next, int socket, struct lab_node **second)
{
	struct lab_node *last = NULL, *n;

	for (n = next; n && READ_ONCE(n->socket) != socket; n = READ_ONCE(n->next))
		last = n;
	if (n && last)
		*second = cna_append(*second, next, last);
	return n;
}

/* Those of @second come first from now on. */
static void hand_over_far(struct lab_node *second, struct lab_node *next)
{
	struct lab_node *first = second->next;

	WRITE_ONCE(second->next, next);
	hand_over(first, NULL);
}

static void hand_over_behind(struct lab_node *node)
{
	struct lab_node *next = lab_node_next(node), *second = node->tail, *near = NULL;

	if (cna_stays())
		near = find_near(next, node->socket, &second);
	if (near)
		hand_over(near, second);
	else if (second)
		hand_over_far(second, next);
	else
		hand_over(next, NULL);
}

/* Nobody is behind @node: the second queue is all there is. False: somebody is. */
static bool take_alone(struct qspinlock *lock, struct lab_node *node, u32 tail)
{
	struct lab_node *second = node->tail, *first;
	int val = tail;

	if (!second)
		return atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL);
	/* Newcomers write behind the last one as soon as the word names it. */
	first = second->next;
	WRITE_ONCE(second->next, NULL);
	if (atomic_try_cmpxchg_release(&lock->val, &val, second->name | _Q_LOCKED_VAL)) {
		hand_over(first, NULL);
		return true;
	}
	WRITE_ONCE(second->next, first);
	return false;
}

static void wait_in_queue(struct qspinlock *lock, struct lab_node *node, u32 tail)
{
	u32 val;

	node->socket = cna_socket(smp_processor_id());
	node->tail = NULL;
	if (lab_queue_join(lock, node, tail))
		smp_cond_load_acquire(&node->turn, VAL);
	val = atomic_cond_read_acquire(&lock->val, !(VAL & _Q_LOCKED_PENDING_MASK));
	if (val == tail && take_alone(lock, node, tail))
		return;
	WRITE_ONCE(lock->locked, _Q_LOCKED_VAL);
	hand_over_behind(node);
}

static noinline void cna_lock_slow(struct qspinlock *lock, u32 val)
{
	u32 tail;
	struct lab_node *node;

	if (!(lab_settled(lock, val) & ~_Q_LOCKED_MASK) && lab_wait_as_next(lock))
		return;
	node = lab_node_get(&tail);
	if (!queued_spin_trylock(lock))
		wait_in_queue(lock, node, tail);
	lab_node_put();
}

static __always_inline int cna_lock(struct qspinlock *lock)
{
	int val = 0;

	if (unlikely(!atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)))
		cna_lock_slow(lock, val);
	return 0;
}

#define LAB_ID		 cna_ops
#define LAB_NAME	 "cna"
#define LAB_ABOUT	 "a queued lock that stays on its socket"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 cna_lock(&(l)->queued)
#define LAB_UNLOCK(l, c) queued_spin_unlock(&(l)->queued)
#include "loops.h"
