/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places in the queues of the locks that are written here: four for each CPU, as in qspinlock. */
#ifndef LAB_NODES_H
#define LAB_NODES_H

#include "shim.h"
#include <asm/qspinlock.h>
#include "kernel/locking/qspinlock.h"

#define LAB_NODES 4

/**
 * struct lab_node - a waiter
 * @next: who came next, or NULL as long as that one has not said so
 * @turn: 0 while it waits; what else it means is up to the lock
 * @name: what names it in a lock word
 * @socket: of its CPU (CNA)
 * @tail: the last of those that were passed over (CNA)
 */
struct lab_node {
	struct lab_node *next;
	u32 turn;
	u32 name;
	int socket;
	struct lab_node *tail;
} __attribute__((aligned(SMP_CACHE_BYTES)));

/**
 * lab_node_get() - take the next place of this CPU, which is as new
 * @tail: set to what names it in a lock word
 *
 * Contexts nest, so the places are a stack. A fifth context would be an error of the caller.
 */
struct lab_node *lab_node_get(u32 *tail);

/**
 * lab_node_put() - give the latest place of this CPU back
 */
void lab_node_put(void);

/**
 * lab_node_of() - the place that a lock word's tail names
 * @tail: the tail bits of the word, not 0
 */
struct lab_node *lab_node_of(u32 tail);

/**
 * lab_node_next() - who came next, after a wait if that one is about to say so
 * @node: a node that is no longer the last
 */
static inline struct lab_node *lab_node_next(struct lab_node *node)
{
	return smp_cond_load_relaxed(&node->next, VAL);
}

/**
 * lab_queue_join() - become the last of a lock's queue
 * @lock: the lock
 * @node: a new place
 * @tail: what names it
 *
 * Return: who was the last, and knows now that somebody follows, or NULL.
 */
struct lab_node *lab_queue_join(struct qspinlock *lock, struct lab_node *node, u32 tail);

/**
 * lab_settled() - the word, after a bounded wait if the lock is just being handed over
 * @lock: the lock
 * @val: the word as it was seen
 *
 * As in qspinlock: otherwise two CPUs that take turns would queue, and pay for it.
 */
static inline u32 lab_settled(struct qspinlock *lock, u32 val)
{
	int n = _Q_PENDING_LOOPS;

	if (val != _Q_PENDING_VAL)
		return val;
	return atomic_cond_read_relaxed(&lock->val, VAL != _Q_PENDING_VAL || !n--);
}

/**
 * lab_wait_as_next() - acquire by qspinlock's pending bit, without a place in the queue
 * @lock: a lock of which only the locked byte was seen
 *
 * Return: false if somebody waits already.
 */
bool lab_wait_as_next(struct qspinlock *lock);

#endif /* LAB_NODES_H */
