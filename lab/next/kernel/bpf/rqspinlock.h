/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resilient queued spin lock: what the slow path and the deadlock check share.
 */
#ifndef __KERNEL_BPF_RQSPINLOCK_H
#define __KERNEL_BPF_RQSPINLOCK_H

#include <asm/rqspinlock.h>
#include <linux/cache.h>
#include <linux/percpu.h>

/* CPUs below this have a tag of their own. */
#ifndef RES_TAG_CPUS
#define RES_TAG_CPUS	(RES_TAG_ESC - 1)
#endif

/* Task, softirq, hardirq, and programs on tracepoints in them can wait on top of each other. */
#define RES_NR_DEPTH	4
#define RES_DEPTH_MASK	3UL
#define RES_NR_HELD	31

/* As many as a tail can name. */
#define RES_NR_NODES	4

#define RES_SEQ_LIVE	1

enum res_stage {
	RES_SPIN,
	RES_PENDING,
	RES_QUEUED,
	RES_HEAD,
};

#ifdef CONFIG_QUEUED_SPINLOCKS
#define RES_PENDING_MASK	((u32)_Q_PENDING_MASK)
#else
#define RES_PENDING_MASK	0U
#endif

/* The low bits of a node's state; the others count its uses. */
enum res_node_state {
	RES_FREE,
	RES_WAIT,
	RES_LONE,
	RES_PASSED,
	RES_LEFT,
};

#define RES_STATE_MASK	7U
#define RES_USE		8U

/**
 * struct res_node - a place in a queue; whoever stands behind it looks at it
 * @state: enum res_node_state, and how often the node was taken, in units of RES_USE
 * @tail: the tail that names the node
 * @prev: the node in front, with RES_LEFT
 */
struct res_node {
	atomic_t	state;
	u32		tail;
	struct res_node	*prev;
} ____cacheline_aligned;

/**
 * struct res_wait - a wait of one context
 * @seq: odd while the wait lasts
 * @stage: enum res_stage
 * @claim: the victim of the cycle that this record coordinates, or 0
 * @lock: the lock waited for
 * @front: the node in front, with RES_QUEUED
 */
struct res_wait {
	u32		seq;
	u32		stage;
	atomic_t	claim;
	rqspinlock_t	*lock;
	struct res_node	*front;
};

/**
 * struct res_cpu - what other CPUs may know about a CPU
 * @nwait: number of live waits, so the index of the next record
 * @nheld: number of entries in @held
 * @escaping: nesting of acquisitions and releases with RES_TAG_ESC
 * @backoff: pause between attempts of the test-and-set lock
 * @wait: wait records, one per depth
 * @node: places in queues
 * @held: locks owned with RES_TAG_ESC: address | depth
 * @lost: acquisitions that did not fit into @held
 * @chain: the last walk, one per depth
 */
struct res_cpu {
	u32			nwait;
	u32			nheld;
	u32			escaping;
	u32			backoff;
	struct res_wait		wait[RES_NR_DEPTH];
	struct res_node		node[RES_NR_NODES];
	unsigned long		held[RES_NR_HELD] ____cacheline_aligned;
	unsigned long		lost;
	struct res_chain	chain[RES_NR_DEPTH];
};

DECLARE_PER_CPU_ALIGNED(struct res_cpu, res_cpu);

/**
 * struct res_waiter - an acquisition that did not succeed at once
 * @lock: the lock
 * @rc: data of this CPU
 * @rec: its wait record
 * @chain: where its walks go
 * @flags: interrupt state around an escaped acquisition
 * @begin: when it first checked, ns
 * @limit: time limit, ns
 * @next: when to look for a deadlock next
 * @interval: time between looks, ns
 * @rival: a claim of somebody else over the same cycle
 * @rival_since: since when it stands
 * @tag: what to store in the locked byte
 * @outer_tag: what the fast path stored before this wait
 * @spins: calls of res_check()
 * @cpu: this CPU
 * @depth: index of its record
 * @kind: enum res_kind, of a failure
 * @owner: CPU of the owner when the wait failed, or -1
 * @node: its place in the queue
 * @front: the node in front, NULL: head
 * @use: state of @node without enum res_node_state
 */
struct res_waiter {
	rqspinlock_t		*lock;
	struct res_cpu		*rc;
	struct res_wait		*rec;
	struct res_chain	*chain;
	unsigned long		flags;
	u64			begin;
	u64			limit;
	u64			next;
	u32			interval;
	u32			rival;
	u64			rival_since;
	u32			tag;
	u32			outer_tag;
	u32			spins;
	u16			cpu;
	u8			depth;
	u8			kind;
	int			owner;
	struct res_node		*node;
	struct res_node		*front;
	u32			use;
};

/**
 * struct res_note - what the slow path knew about a failure
 * @lock: the lock, NULL: there is no note
 * @held: the lock of this CPU that the others wait for, or NULL
 * @wait_ns: duration of the wait
 * @parties: members of the cycle, or 0
 * @owner: CPU of the owner, or -1
 * @kind: enum res_kind
 */
struct res_note {
	rqspinlock_t	*lock;
	rqspinlock_t	*held;
	u64		wait_ns;
	u32		parties;
	int		owner;
	u8		kind;
};

static inline bool res_wait_live(u32 seq)
{
	return seq & RES_SEQ_LIVE;
}

bool res_held_here(struct res_cpu *rc, rqspinlock_t *lock);

/* Exact: nothing that runs on this CPU could change the answer. */
static inline bool res_mine(struct res_waiter *w, rqspinlock_t *lock, u32 val)
{
	u32 tag = val & RES_TAG_MASK;

	if (tag == RES_TAG_ESC)
		return res_held_here(w->rc, lock);
	return w->cpu < RES_TAG_CPUS && tag == w->cpu + 1U;
}

/* -EDEADLK: this acquisition is the victim of a cycle that exists. */
int res_find_cycle(struct res_waiter *w, u64 now);

/* Keep what is known about a failure, which took @wait ns, for bpf_res_report(). */
void res_write_note(struct res_waiter *w, u64 wait);

void bpf_res_report(rqspinlock_t *lock, int err, unsigned long ip);

/* For tests (CONFIG_RQSPINLOCK_TEST): waiters form a queue on this machine. */
bool res_spin_queued(void);

#endif /* __KERNEL_BPF_RQSPINLOCK_H */
