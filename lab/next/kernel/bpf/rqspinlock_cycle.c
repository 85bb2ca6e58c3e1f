// SPDX-License-Identifier: GPL-2.0
/*
 * Resilient queued spin lock: deadlock check
 *
 * A walk from the lock waited for to its owner, to the lock that the owner waits
 * for, and so on, over data that changes all the time. Its result counts only
 * if the same edges are still there when every one of them has been seen: then
 * there was a moment at which all of them existed.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "rqspinlock.h"

/* A claim is taken over after this time: its owner may not be running. */
#define RES_CLAIM_NS	(50 * NSEC_PER_MSEC)

/* A wait this long is worth a look at every CPU. */
#define RES_DEEP_NS	NSEC_PER_MSEC

enum res_verdict {
	RES_DEAD_END,
	RES_BLOCKED,	/* by another CPU */
	RES_SELF,	/* by the CPU that asks */
};

/**
 * struct res_walk - one look at the chain of waits
 * @w: who looks
 * @age: time since its first look at the clock, ns
 * @budget: steps left
 */
struct res_walk {
	struct res_waiter *w;
	u64 age;
	int budget;
};

static struct res_cpu *res_cpu_of(int cpu)
{
	return per_cpu_ptr(&res_cpu, cpu);
}

static rqspinlock_t *res_lock_before(struct res_waiter *w, int i)
{
	return i ? w->chain->hop[i - 1].lock : w->lock;
}

/* The memory of a lock that only others wait for may be gone. */
static bool res_read_word(struct res_waiter *w, rqspinlock_t *lock, u32 *val)
{
	if (lock == w->lock) {
		*val = atomic_read(&lock->val);
		return true;
	}
	return !get_kernel_nofault(*val, (u32 *)&lock->val.counter);
}

static unsigned long res_held_entry(struct res_cpu *rc, rqspinlock_t *lock)
{
	int i;

	if (!READ_ONCE(rc->nheld))
		return 0;
	for (i = 0; i < RES_NR_HELD; i++) {
		unsigned long entry = READ_ONCE(rc->held[i]);

		if ((entry & ~RES_DEPTH_MASK) == (unsigned long)lock)
			return entry;
	}
	return 0;
}

bool res_held_here(struct res_cpu *rc, rqspinlock_t *lock)
{
	return res_held_entry(rc, lock);
}

static enum res_verdict res_find_escaped(rqspinlock_t *lock, struct res_hop *hop)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		unsigned long entry = res_held_entry(res_cpu_of(cpu), lock);

		if (entry) {
			hop->cpu = cpu;
			hop->from = entry & RES_DEPTH_MASK;
			return RES_BLOCKED;
		}
	}
	return RES_DEAD_END;
}

/* Acquire: the record is not older than its number. */
static u32 res_read_seq(struct res_wait *rec)
{
	/* pairs with the release in res_wait_begin() */
	return smp_load_acquire(&rec->seq);
}

/*
 * Everybody in front has left or passed headship. What a context that cannot run says
 * about itself stands; but a node in front may be adopted by its user, who frees the one
 * before: only while its state is the same is that one in this queue.
 */
static bool res_is_head(struct res_wait *rec)
{
	struct res_node *node = READ_ONCE(rec->front);
	u32 state;
	int i;

	if (!node)
		return false;
	state = atomic_read_acquire(&node->state);
	for (i = 0; i < RES_MAX_HOPS && (state & RES_STATE_MASK) == RES_LEFT; i++) {
		struct res_node *prev = READ_ONCE(node->prev);
		u32 before = prev ? atomic_read_acquire(&prev->state) : 0;

		if (!prev || atomic_read(&node->state) != state)
			return false;
		node = prev;
		state = before;
	}
	return (state & RES_STATE_MASK) == RES_PASSED;
}

/* Can nobody but the context of @rec take @lock, whose word is @val? */
static bool res_is_next(struct res_wait *rec, rqspinlock_t *lock, u32 val)
{
	u32 stage;

	if (!res_wait_live(res_read_seq(rec)) || READ_ONCE(rec->lock) != lock)
		return false;
	stage = READ_ONCE(rec->stage);
	if (val & RES_PENDING_MASK)
		return stage == RES_PENDING;
	return stage == RES_HEAD || (stage == RES_QUEUED && res_is_head(rec));
}

/* Below @depth, a context of @rc that is the next to take @lock. */
static int res_suspended_slot(struct res_cpu *rc, int depth, rqspinlock_t *lock, u32 val)
{
	int i;

	for (i = 0; i < depth; i++) {
		if (res_is_next(&rc->wait[i], lock, val))
			return i;
	}
	return -1;
}

/* Below a context that waits, the next in line of a lock that is free. */
static enum res_verdict res_find_suspended(struct res_walk *walk, rqspinlock_t *lock, u32 val,
					   struct res_hop *hop)
{
	struct res_waiter *w = walk->w;
	int cpu, slot;

	if (w->depth && res_suspended_slot(w->rc, w->depth, lock, val) >= 0)
		return RES_SELF;
	if (walk->age < RES_DEEP_NS)
		return RES_DEAD_END;
	for_each_possible_cpu(cpu) {
		if (cpu == w->cpu)
			continue;
		slot = res_suspended_slot(res_cpu_of(cpu), RES_NR_DEPTH - 1, lock, val);
		if (slot >= 0) {
			hop->cpu = cpu;
			hop->from = slot + 1;
			return RES_BLOCKED;
		}
	}
	return RES_DEAD_END;
}

/*
 * The lock is free, but the next in line was interrupted by a context that waits. It
 * may have become that after it was free: somebody else had it in between.
 */
static enum res_verdict res_find_next(struct res_walk *walk, rqspinlock_t *lock, u32 val,
				      struct res_hop *hop)
{
	enum res_verdict verdict = res_find_suspended(walk, lock, val, hop);
	u32 now;

	if (verdict == RES_DEAD_END)
		return RES_DEAD_END;
	smp_rmb(); /* the place in the queue before the word */
	if (!res_read_word(walk->w, lock, &now) || now & RES_TAG_MASK ||
	    (now ^ val) & RES_PENDING_MASK)
		return RES_DEAD_END;
	return verdict;
}

/* Who blocks the lock that the chain leads to after @i hops? */
static enum res_verdict res_find_blocker(struct res_walk *walk, int i, struct res_hop *hop)
{
	rqspinlock_t *lock = res_lock_before(walk->w, i);
	u32 val, tag;

	if (!res_read_word(walk->w, lock, &val))
		return RES_DEAD_END;
	if (res_mine(walk->w, lock, val))
		return RES_SELF;
	tag = val & RES_TAG_MASK;
	if (tag == RES_TAG_ESC)
		return res_find_escaped(lock, hop);
	if (!tag)
		return val ? res_find_next(walk, lock, val, hop) : RES_DEAD_END;
	hop->cpu = tag - 1;
	hop->from = 0;
	/* a foreign word may be anything by now */
	return hop->cpu < nr_cpu_ids && cpu_possible(hop->cpu) ? RES_BLOCKED : RES_DEAD_END;
}

/* The first live wait of @hop->cpu in slot @slot or above. */
static bool res_find_wait(struct res_hop *hop, int slot)
{
	struct res_cpu *rc = res_cpu_of(hop->cpu);

	for (; slot < RES_NR_DEPTH; slot++) {
		struct res_wait *rec = &rc->wait[slot];

		hop->seq = res_read_seq(rec);
		if (!res_wait_live(hop->seq))
			continue;
		hop->lock = READ_ONCE(rec->lock);
		if (!hop->lock)
			continue;
		hop->slot = slot;
		return true;
	}
	return false;
}

/* A CPU may wait in several contexts: try the next one of the last that has one. */
static bool res_backtrack(struct res_chain *chain)
{
	while (chain->n) {
		struct res_hop *hop = &chain->hop[chain->n - 1];

		if (res_find_wait(hop, hop->slot + 1))
			return true;
		chain->n--;
	}
	return false;
}

/*
 * A hop to a lock that was looked at before ends its branch: it has just been granted
 * that, or there is a cycle of others.
 */
static bool res_hop_is_new(struct res_waiter *w)
{
	int i, last = w->chain->n - 1;

	for (i = 0; i <= last; i++) {
		if (w->chain->hop[last].lock == res_lock_before(w, i))
			return false;
	}
	return true;
}

/* Pass 1: collect a chain that leads back here. */
static bool res_do_walk(struct res_walk *walk)
{
	struct res_chain *chain = walk->w->chain;

	chain->n = 0;
	while (walk->budget--) {
		enum res_verdict verdict;
		struct res_hop hop;

		verdict = res_find_blocker(walk, chain->n, &hop);
		if (verdict == RES_SELF)
			return true;
		if (verdict == RES_BLOCKED && chain->n < RES_MAX_HOPS &&
		    res_find_wait(&hop, hop.from))
			chain->hop[chain->n++] = hop;
		else if (!res_backtrack(chain))
			return false;
		while (!res_hop_is_new(walk->w)) {
			if (!res_backtrack(chain))
				return false;
		}
	}
	return false;
}

/* Pass 2: every lock of the chain is blocked by the same CPU still. */
static bool res_same_blockers(struct res_walk *walk)
{
	struct res_waiter *w = walk->w;
	struct res_chain *chain = w->chain;
	struct res_hop now;
	int i;

	for (i = 0; i < chain->n; i++) {
		if (res_find_blocker(walk, i, &now) != RES_BLOCKED ||
		    now.cpu != chain->hop[i].cpu || now.from > chain->hop[i].slot)
			return false;
	}
	return res_find_blocker(walk, i, &now) == RES_SELF;
}

/* Pass 3: every wait of the chain is the same still. */
static bool res_same_waits(struct res_chain *chain)
{
	int i;

	for (i = 0; i < chain->n; i++) {
		struct res_hop *hop = &chain->hop[i];

		if (READ_ONCE(res_cpu_of(hop->cpu)->wait[hop->slot].seq) != hop->seq)
			return false;
	}
	return true;
}

/*
 * The first barrier pairs with the releases of seq in res_wait_begin() and of the word in
 * res_spin_unlock(), and with the barrier in res_pending_leave(); the second one with the
 * barrier in res_wait_end(): a word that was written after a wait shows that its seq moved.
 */
static bool res_confirm(struct res_walk *walk)
{
	smp_rmb(); /* every seq was read before any word is read again */
	if (!res_same_blockers(walk))
		return false;
	smp_rmb(); /* every word before any seq is read again */
	return res_same_waits(walk->w->chain);
}

/* So many bits of a seq: an old claim that looks alive is taken over in time. */
#define RES_CLAIM_SEQ	0x7fffU
#define RES_CLAIM_SLOT	15
#define RES_CLAIM_CPU	17

static u32 res_claim_of(u16 cpu, u8 slot, u32 seq)
{
	BUILD_BUG_ON(BIT(32 - RES_CLAIM_CPU) <= NR_CPUS);
	return (cpu + 1U) << RES_CLAIM_CPU | slot << RES_CLAIM_SLOT | (seq & RES_CLAIM_SEQ);
}

/* A claimer that was interrupted by a context that waits cannot leave now. */
static bool res_claim_live(u32 claim)
{
	struct res_cpu *rc = res_cpu_of((claim >> RES_CLAIM_CPU) - 1);
	int slot = (claim >> RES_CLAIM_SLOT) & RES_DEPTH_MASK;

	if ((READ_ONCE(rc->wait[slot].seq) ^ claim) & RES_CLAIM_SEQ)
		return false;
	while (++slot < RES_NR_DEPTH) {
		if (res_wait_live(READ_ONCE(rc->wait[slot].seq)))
			return false;
	}
	return true;
}

/* The record of the member with the lowest CPU number, in its lowest slot. */
static struct res_wait *res_coordinator(struct res_waiter *w)
{
	int i, cpu = w->cpu, slot = w->depth;

	for (i = 0; i < w->chain->n; i++) {
		struct res_hop *hop = &w->chain->hop[i];

		if (hop->cpu < cpu || (hop->cpu == cpu && hop->slot < slot)) {
			cpu = hop->cpu;
			slot = hop->slot;
		}
	}
	return &res_cpu_of(cpu)->wait[slot];
}

static bool res_must_yield(struct res_waiter *w, u32 claim, u64 now)
{
	if (!claim || !res_claim_live(claim))
		return false;
	if (claim != w->rival) {
		w->rival = claim;
		w->rival_since = now;
	}
	return now - w->rival_since < RES_CLAIM_NS;
}

/*
 * Become the victim, the only one. Whoever confirmed the same cycle may have
 * claimed it and left since: then the waits are not the same any more.
 */
static bool res_claim(struct res_waiter *w, u64 now)
{
	u32 mine = res_claim_of(w->cpu, w->depth, w->rec->seq);
	atomic_t *claim = &res_coordinator(w)->claim;
	u32 old = atomic_read(claim);

	if (old != mine) {
		if (res_must_yield(w, old, now))
			return false;
		if ((u32)atomic_cmpxchg(claim, old, mine) != old)
			return false;
	}
	if (res_same_waits(w->chain))
		return true;
	atomic_cmpxchg(claim, mine, 0);
	return false;
}

int res_find_cycle(struct res_waiter *w, u64 now)
{
	struct res_walk walk = {
		.w = w,
		.age = now - w->begin,
		.budget = 4 * RES_MAX_HOPS,
	};

	if (!res_do_walk(&walk) || !res_confirm(&walk))
		return 0;
	w->owner = w->chain->n ? w->chain->hop[0].cpu : w->cpu;
	if (!res_claim(w, now))
		return 0;
	w->kind = w->chain->n > 1 ? RES_KIND_CYCLE :
		  w->chain->n ? RES_KIND_ABBA : RES_KIND_AA;
	return -EDEADLK;
}
