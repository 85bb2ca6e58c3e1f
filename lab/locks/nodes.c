// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "nodes.h"

static DEFINE_PER_CPU_ALIGNED(struct lab_node, lab_nodes[LAB_NODES]);
static DEFINE_PER_CPU(u32, lab_nodes_used);

struct lab_node *lab_node_get(u32 *tail)
{
	u32 no = raw_cpu_read(lab_nodes_used);
	struct lab_node *node;

	if (unlikely(no >= LAB_NODES))
		__builtin_trap();
	raw_cpu_inc(lab_nodes_used);
	/* An interrupt must not get the same one. */
	barrier();
	node = this_cpu_ptr(&lab_nodes[no]);
	node->next = NULL;
	node->turn = 0;
	node->name = encode_tail(smp_processor_id(), no);
	*tail = node->name;
	return node;
}

void lab_node_put(void)
{
	barrier();
	raw_cpu_dec(lab_nodes_used);
}

struct lab_node *lab_node_of(u32 tail)
{
	int cpu = (tail >> _Q_TAIL_CPU_OFFSET) - 1;
	int no = (tail & _Q_TAIL_IDX_MASK) >> _Q_TAIL_IDX_OFFSET;

	return per_cpu_ptr(&lab_nodes[no], cpu);
}

struct lab_node *lab_queue_join(struct qspinlock *lock, struct lab_node *node, u32 tail)
{
	struct lab_node *prev;
	u32 old;

	/* Whoever finds the new tail finds the node as it was made. */
	smp_wmb();
	old = xchg_tail(lock, tail) & _Q_TAIL_MASK;
	if (!old)
		return NULL;
	prev = lab_node_of(old);
	WRITE_ONCE(prev->next, node);
	return prev;
}

bool lab_wait_as_next(struct qspinlock *lock)
{
	u32 val = queued_fetch_set_pending_acquire(lock);

	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_MASK))
			clear_pending(lock);
		return false;
	}
	smp_cond_load_acquire(&lock->locked, !VAL);
	clear_pending_set_locked(lock);
	return true;
}
