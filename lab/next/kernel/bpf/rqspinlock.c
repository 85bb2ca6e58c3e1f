// SPDX-License-Identifier: GPL-2.0
/*
 * Resilient queued spin lock: slow path
 *
 * A queued spin lock whose waiters can leave from wherever they stand: because
 * they are members of a cycle of waits (rqspinlock_cycle.c), or because their time
 * limit is over.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/prefetch.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <trace/events/lock.h>

#include "rqspinlock.h"
#include "../locking/lock_events.h"

#define CREATE_TRACE_POINTS
#include <trace/events/rqspinlock.h>

/* Most waits are shorter: a look would only pull the owner's record over. */
#define RES_CHECK_FIRST_NS	200U

/* Time between two looks for a deadlock, growing by four. */
#define RES_CHECK_MIN_NS	1000U
#define RES_CHECK_MAX_NS	(1000U * 1000U)

#define RES_BACKOFF_MAX		1024U

/* Until res_spin_init() every acquisition takes the way that needs no tag. */
DEFINE_PER_CPU(u32, res_spin_tag) = RES_TAG_ESC;
EXPORT_PER_CPU_SYMBOL_GPL(res_spin_tag);

DEFINE_PER_CPU_ALIGNED(struct res_cpu, res_cpu);

static u32 res_base_tag(int cpu)
{
	return cpu < RES_TAG_CPUS ? cpu + 1 : RES_TAG_ESC;
}

static int __init res_spin_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(res_spin_tag, cpu) = res_base_tag(cpu);
	return 0;
}
early_initcall(res_spin_init);

/*
 * Escape table. An interrupt leaves everything as it was, so plain increments
 * and a cmpxchg without a bus lock are enough.
 */

/* The word says RES_TAG_ESC, but the table does not say it yet, or any more. */
static void res_escape_begin(struct res_cpu *rc, unsigned long *flags)
{
	local_irq_save(*flags);
	WRITE_ONCE(rc->escaping, rc->escaping + 1);
	barrier();
}

static void res_escape_end(struct res_cpu *rc, unsigned long *flags)
{
	barrier();
	WRITE_ONCE(rc->escaping, rc->escaping - 1);
	local_irq_restore(*flags);
}

static void res_held_add(struct res_cpu *rc, rqspinlock_t *lock, unsigned int depth)
{
	unsigned long entry = (unsigned long)lock | depth;
	int i;

	if (depth >= RES_NR_DEPTH)
		goto lost;
	this_cpu_inc(res_cpu.nheld);
	for (i = 0; i < RES_NR_HELD; i++) {
		if (!READ_ONCE(rc->held[i]) &&
		    !this_cpu_cmpxchg(res_cpu.held[i], 0, entry))
			return;
	}
	this_cpu_dec(res_cpu.nheld);
lost:
	this_cpu_inc(res_cpu.lost);
	lockevent_inc(rqspinlock_held_lost);
}

static void res_held_del(struct res_cpu *rc, rqspinlock_t *lock)
{
	int i;

	for (i = 0; i < RES_NR_HELD; i++) {
		if ((rc->held[i] & ~RES_DEPTH_MASK) == (unsigned long)lock) {
			WRITE_ONCE(rc->held[i], 0);
			this_cpu_dec(res_cpu.nheld);
			return;
		}
	}
}

/* Around the store that makes this context the owner. */
static void res_take_begin(struct res_waiter *w)
{
	if (w->tag == RES_TAG_ESC)
		res_escape_begin(w->rc, &w->flags);
}

static void res_take_end(struct res_waiter *w, bool taken)
{
	if (w->tag != RES_TAG_ESC)
		return;
	if (taken)
		res_held_add(w->rc, w->lock, w->depth);
	res_escape_end(w->rc, &w->flags);
}

static bool res_trylock(struct res_waiter *w)
{
	int val = 0;
	bool taken;

	if (atomic_read(&w->lock->val))
		return false;
	res_take_begin(w);
	/* acquire: pairs with the release of the lock in res_spin_unlock() */
	taken = atomic_try_cmpxchg_acquire(&w->lock->val, &val, w->tag);
	res_take_end(w, taken);
	return taken;
}

/**
 * resilient_spin_unlock_escaped() - slow path of res_spin_unlock()
 * @lock: a lock that this context owns
 *
 * For releases while the tag of this CPU is RES_TAG_ESC. The lock may have been
 * acquired with the tag of the CPU all the same.
 */
void resilient_spin_unlock_escaped(rqspinlock_t *lock)
{
	struct res_cpu *rc = this_cpu_ptr(&res_cpu);
	unsigned long flags;

	if ((u8)READ_ONCE(lock->locked) != RES_TAG_ESC) {
		/* as in res_spin_unlock() */
		smp_store_release(&lock->locked, RES_TAG_FREE);
		return;
	}
	res_escape_begin(rc, &flags);
	res_held_del(rc, lock);
	/*
	 * As in res_spin_unlock(). The entry was written before this context could wait, so
	 * the release in res_wait_begin() orders it for res_find_escaped().
	 */
	smp_store_release(&lock->locked, RES_TAG_FREE);
	res_escape_end(rc, &flags);
}
EXPORT_SYMBOL_GPL(resilient_spin_unlock_escaped);

/* Wait records */

static void res_waiter_init(struct res_waiter *w, rqspinlock_t *lock)
{
	struct res_cpu *rc = this_cpu_ptr(&res_cpu);

	memset(w, 0, sizeof(*w));
	w->lock = lock;
	w->rc = rc;
	w->cpu = smp_processor_id();
	w->depth = rc->nwait;
	w->tag = w->depth ? RES_TAG_ESC : res_base_tag(w->cpu);
	w->interval = RES_CHECK_MIN_NS;
}

/*
 * The tag is RES_TAG_ESC whenever @nwait is not 0: res_spin_unlock() relies on it.
 * An interrupt before the increment puts back what it found.
 */
static void res_wait_begin(struct res_waiter *w)
{
	struct res_cpu *rc = w->rc;
	struct res_wait *rec = &rc->wait[w->depth];

	w->rec = rec;
	w->chain = &rc->chain[w->depth];
	w->outer_tag = raw_cpu_read(res_spin_tag);
	raw_cpu_write(res_spin_tag, RES_TAG_ESC);
	barrier();
	WRITE_ONCE(rc->nwait, w->depth + 1);
	barrier();
	WRITE_ONCE(rec->lock, w->lock);
	WRITE_ONCE(rec->stage, RES_SPIN);
	atomic_set(&rec->claim, 0);
	/*
	 * After the record, and after the release of every lock released before.
	 * Pairs with the acquire in res_read_seq().
	 */
	smp_store_release(&rec->seq, rec->seq + 1);
}

/* Nobody can find the wait any more. */
static void res_wait_end(struct res_waiter *w)
{
	WRITE_ONCE(w->rec->seq, w->rec->seq + 1);
	/*
	 * Before the next acquisition of this CPU, and before the next record.
	 * Pairs with the second smp_rmb() in res_confirm().
	 */
	smp_wmb();
	WRITE_ONCE(w->rec->lock, NULL);
}

/* Its slot is free again. */
static void res_wait_release(struct res_waiter *w)
{
	barrier();
	WRITE_ONCE(w->rc->nwait, w->depth);
	barrier();
	raw_cpu_write(res_spin_tag, w->outer_tag);
}

/* An interrupted context of this CPU waits for the same lock. */
static bool res_interrupted(struct res_waiter *w)
{
	int i;

	for (i = 0; i < w->depth; i++) {
		if (w->rc->wait[i].lock == w->lock)
			return true;
	}
	return false;
}

static int res_owner(struct res_waiter *w)
{
	u32 val = atomic_read(&w->lock->val), tag = val & RES_TAG_MASK;

	if (res_mine(w, w->lock, val))
		return w->cpu;
	return tag && tag != RES_TAG_ESC ? (int)tag - 1 : -1;
}

static int res_fail(struct res_waiter *w, enum res_kind kind)
{
	w->kind = kind;
	w->owner = res_owner(w);
	return kind == RES_KIND_TIMEOUT ? -ETIMEDOUT : -EDEADLK;
}

/* An NMI hit a wait, or an acquisition that others cannot see yet. */
static bool res_must_not_wait(struct res_waiter *w)
{
	return in_nmi() && (w->depth || READ_ONCE(w->rc->escaping));
}

/* Contexts that must not wait, because they would wait for themselves. */
static int res_enter(struct res_waiter *w)
{
	if (res_mine(w, w->lock, atomic_read(&w->lock->val)))
		return res_fail(w, RES_KIND_AA);
	if (w->depth >= RES_NR_DEPTH || res_must_not_wait(w) || res_interrupted(w))
		return res_trylock(w) ? 0 : res_fail(w, RES_KIND_NESTED);
	return -EINPROGRESS;
}

/* 0: go on waiting. */
static int res_check(struct res_waiter *w)
{
	u64 now;
	int ret;

	if (++w->spins % RES_SPINS)
		return 0;
	now = ktime_get_mono_fast_ns();
	if (!w->begin) {
		w->begin = now;
		w->next = now + RES_CHECK_FIRST_NS;
	}
	if (now < w->next)
		return 0;
	w->next = min(now + w->interval, w->begin + w->limit);
	w->interval = min(w->interval * 4, RES_CHECK_MAX_NS);
	ret = res_find_cycle(w, now);
	if (!ret && now - w->begin >= w->limit)
		ret = res_fail(w, RES_KIND_TIMEOUT);
	return ret;
}

static void res_report(struct res_waiter *w, int ret)
{
	static const struct res_chain none;
	bool cycle = w->kind == RES_KIND_ABBA || w->kind == RES_KIND_CYCLE;
	u64 wait = w->begin ? ktime_get_mono_fast_ns() - w->begin : 0;

	if (ret == -ETIMEDOUT)
		lockevent_inc(rqspinlock_lock_timeout);
	else
		lockevent_inc(rqspinlock_deadlock);
	trace_rqspinlock_failure(w->lock, w->kind, ret, wait, w->owner, false,
				 cycle ? w->chain : &none);
	/* last: the program on the tracepoint may fail, too */
	res_write_note(w, wait);
}

/* The slot is kept for the report: an interrupt would overwrite its chain. */
static void res_wait_finish(struct res_waiter *w, int ret)
{
	res_wait_end(w);
	trace_contention_end(w->lock, ret);
	if (ret)
		res_report(w, ret);
	res_wait_release(w);
}

static void res_fail_at_once(struct res_waiter *w, int ret)
{
	trace_contention_end(w->lock, ret);
	if (ret)
		res_report(w, ret);
}

/*
 * Test and set, for architectures without queued spin locks, and hypervisors
 * that let a virtual CPU wait in a queue behind one that does not run.
 */

/* Like the proportional back-off of ticket locks, tuned by lost races. */
static void res_backoff(struct res_waiter *w, bool lost)
{
	u32 pause = w->rc->backoff;
	u32 i;

	if (lost)
		pause = min(pause + pause / 2 + 1, RES_BACKOFF_MAX);
	w->rc->backoff = pause;
	for (i = 0; i <= pause; i++)
		cpu_relax();
}

static int res_tas_wait(struct res_waiter *w)
{
	int ret = 0;

	w->limit = RES_TAS_TIMEOUT;
	for (;;) {
		bool free = !atomic_read(&w->lock->val);

		if (free && res_trylock(w)) {
			w->rc->backoff /= 2;
			return 0;
		}
		if (ret)
			return ret;
		ret = res_check(w);
		if (!ret)
			res_backoff(w, free);
	}
}

/**
 * resilient_tas_spin_lock() - acquire a resilient lock without a queue
 * @lock: the lock
 *
 * Test and set, with a pause that grows with the number of attempts that failed.
 *
 * Context: as res_spin_lock().
 * Return: as res_spin_lock(), the time limit being RES_TAS_TIMEOUT.
 */
int __lockfunc resilient_tas_spin_lock(rqspinlock_t *lock)
{
	struct res_waiter w;
	int ret;

	res_waiter_init(&w, lock);
	if (res_trylock(&w))
		return 0;
	trace_contention_begin(lock, LCB_F_SPIN);
	ret = res_enter(&w);
	if (ret != -EINPROGRESS) {
		res_fail_at_once(&w, ret);
		return ret;
	}
	res_wait_begin(&w);
	ret = res_tas_wait(&w);
	res_wait_finish(&w, ret);
	return ret;
}
EXPORT_SYMBOL_GPL(resilient_tas_spin_lock);

#ifdef CONFIG_QUEUED_SPINLOCKS

#include "../locking/qspinlock.h"

/*
 * Wait until no bit of @mask is set in the lock word. The word is looked at
 * once more after the decision to give up.
 */
static int res_wait_for(struct res_waiter *w, u32 mask)
{
	int ret = 0;

	for (;;) {
		/* pairs with the release of the lock in res_spin_unlock() */
		u32 val = atomic_read_acquire(&w->lock->val);

		if (!(val & mask))
			return 0;
		if (ret)
			return ret;
		ret = res_check(w);
		if (!ret)
			res_spin_relax(&w->lock->val, val);
	}
}

static void res_clear_pending_set_locked(struct res_waiter *w)
{
	res_take_begin(w);
#if _Q_PENDING_BITS == 8
	WRITE_ONCE(w->lock->locked_pending, w->tag);
#else
	atomic_add(-_Q_PENDING_VAL + (int)w->tag, &w->lock->val);
#endif
	res_take_end(w, true);
}

/*
 * Set the pending bit, if nobody is in front. Interrupts are off from the atomic
 * to the stage: a context that was interrupted by one that waits must be seen to
 * be the next in line, and must not leave a pending bit behind that is not its own.
 */
static int res_set_pending(struct res_waiter *w, u32 *val)
{
	rqspinlock_t *lock = w->lock;
	unsigned long flags;
	int ret = 0;

	local_irq_save(flags);
	/* acquire: pairs with the release of the lock in res_spin_unlock() */
	*val = queued_fetch_set_pending_acquire(lock);
	if (*val & ~_Q_LOCKED_MASK) {
		if (!(*val & _Q_PENDING_MASK))
			clear_pending(lock);
		ret = -EINPROGRESS;
	} else {
		WRITE_ONCE(w->rec->stage, RES_PENDING);
	}
	local_irq_restore(flags);
	return ret;
}

/* The barrier pairs with the first one in res_confirm(). */
static void res_pending_leave(struct res_waiter *w)
{
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(w->rec->stage, RES_SPIN);
	smp_wmb(); /* the pending bit is somebody else's from here on */
	clear_pending(w->lock);
	local_irq_restore(flags);
}

/* -EINPROGRESS: there are others, queue. */
static int res_pending_wait(struct res_waiter *w)
{
	rqspinlock_t *lock = w->lock;
	u32 val = atomic_read(&lock->val);
	int ret, loops = _Q_PENDING_LOOPS;

	while (val == _Q_PENDING_VAL && loops--) {
		cpu_relax();
		val = atomic_read(&lock->val);
	}
	if (val & ~_Q_LOCKED_MASK)
		return -EINPROGRESS;
	ret = res_set_pending(w, &val);
	if (ret)
		return ret;
	w->limit = RES_DEF_TIMEOUT;
	ret = val & _Q_LOCKED_MASK ? res_wait_for(w, _Q_LOCKED_MASK) : 0;
	if (ret)
		res_pending_leave(w);
	else
		res_clear_pending_set_locked(w);
	return ret;
}

/* NULL: no CPU has queued with such a tail, somebody has overwritten the lock. */
static struct res_node *res_node_of(u32 tail)
{
	u32 cpu = (tail >> _Q_TAIL_CPU_OFFSET) - 1;
	u32 idx = (tail & _Q_TAIL_IDX_MASK) >> _Q_TAIL_IDX_OFFSET;

	if (unlikely(cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return NULL;
	return &per_cpu_ptr(&res_cpu, cpu)->node[idx];
}

static u32 res_node_state(u32 state)
{
	return state & RES_STATE_MASK;
}

/* Any that is free; by compare-and-exchange, as an interrupt may want one, too. */
static bool res_take_node(struct res_waiter *w)
{
	int i;

	for (i = 0; i < RES_NR_NODES; i++) {
		struct res_node *node = &w->rc->node[i];
		int state = atomic_read(&node->state), use = state + RES_USE;

		/* acquire: pairs with the release in res_move(), whose reads of @prev are over */
		if (res_node_state(state) == RES_FREE &&
		    atomic_try_cmpxchg_acquire(&node->state, &state, use | RES_WAIT)) {
			WRITE_ONCE(node->tail, encode_tail(w->cpu, i));
			w->node = node;
			w->use = use;
			return true;
		}
	}
	return false;
}

/* Nobody can reach the node any more. */
static void res_free_node(struct res_waiter *w)
{
	atomic_set(&w->node->state, w->use | RES_FREE);
}

/* What others must know if an interrupt that waits comes on top of this wait. */
static void res_stand_behind(struct res_waiter *w, struct res_node *front)
{
	w->front = front;
	WRITE_ONCE(w->rec->front, front);
	WRITE_ONCE(w->rec->stage, front ? RES_QUEUED : RES_HEAD);
}

/*
 * Change the state of a node that has no user any more, and with it the place of this
 * context: behind @front. No interrupt comes between the two.
 */
static bool res_move(struct res_waiter *w, struct res_node *node, int old, int new,
		     struct res_node *front)
{
	unsigned long flags;
	bool moved;

	local_irq_save(flags);
	moved = atomic_try_cmpxchg(&node->state, &old, new);
	if (moved)
		res_stand_behind(w, front);
	local_irq_restore(flags);
	return moved;
}

/* Take a node whose user has left, or passed headship, to do what is left to do with it. */
static bool res_adopt(struct res_waiter *w, struct res_node *node, u32 state,
		      struct res_node *front)
{
	u32 use = (state & ~RES_STATE_MASK) + RES_USE;

	/* Another use: who has read @prev before must not free the node. */
	if (!res_move(w, node, state, use | RES_WAIT, front))
		return false;
	w->node = node;
	w->use = use;
	return true;
}

/* Name @to instead of our node as the last in the queue, and leave, if it is the last. */
static bool res_swap_tail(struct res_waiter *w, u32 to)
{
	atomic_t *word = &w->lock->val;
	int old = atomic_read(word);
	unsigned long flags;
	bool done = false;

	while (!done && (old & _Q_TAIL_MASK) == READ_ONCE(w->node->tail)) {
		local_irq_save(flags);
		done = atomic_try_cmpxchg(word, &old, (old & ~_Q_TAIL_MASK) | to);
		if (done)
			WRITE_ONCE(w->rec->stage, RES_SPIN);
		local_irq_restore(flags);
	}
	if (done)
		res_free_node(w);
	return done;
}

static bool res_is_last(struct res_waiter *w)
{
	return (atomic_read(&w->lock->val) & _Q_TAIL_MASK) == READ_ONCE(w->node->tail);
}

/* Say to whoever is behind that our user of the node is gone; returns what was there. */
static u32 res_mark(struct res_waiter *w, enum res_node_state state)
{
	unsigned long flags;
	u32 old;

	local_irq_save(flags);
	WRITE_ONCE(w->rec->stage, RES_SPIN);
	/* release: all that went before; pairs with the acquire in res_step() */
	old = atomic_xchg_release(&w->node->state, w->use | state);
	local_irq_restore(flags);
	return old;
}

/*
 * Make the next one head, if there is anybody. The exchange shows whether the one
 * behind has left since. @own: no other context can have seen that mark before.
 */
static void res_pass(struct res_waiter *w, bool own)
{
	while (!res_swap_tail(w, 0)) {
		u32 old = res_mark(w, RES_PASSED);

		if (own && res_node_state(old) != RES_LONE)
			return;
		own = false;
		/* Our mark, then the tail; the other way round in res_roll_back(). */
		smp_mb();
		if (!res_is_last(w) || !res_adopt(w, w->node, w->use | RES_PASSED, NULL))
			return;
	}
}

/* The node in front has no user any more: free it, and stand behind the one before. */
static bool res_step(struct res_waiter *w, u32 state)
{
	struct res_node *next = NULL;

	switch (res_node_state(state)) {
	case RES_LEFT:
		next = READ_ONCE(w->front->prev);
		fallthrough;
	case RES_PASSED:
		return res_move(w, w->front, state, (state & ~RES_STATE_MASK) | RES_FREE, next);
	}
	return false;
}

/* Remove the nodes in front that have no user, tell the first that has one. 0: head */
static u32 res_fold(struct res_waiter *w)
{
	while (w->front) {
		int state = atomic_read_acquire(&w->front->state);
		u32 use = state & ~RES_STATE_MASK;

		if (res_node_state(state) == RES_LONE)
			return state;
		if (!res_step(w, state) && res_node_state(state) == RES_WAIT &&
		    atomic_try_cmpxchg(&w->front->state, &state, use | RES_LONE))
			return use | RES_LONE;
	}
	return 0;
}

/*
 * The node in front is the last again. Its user may have left, or passed headship,
 * before it could see that: then the node is for us to remove, by the same rules.
 */
static bool res_look_again(struct res_waiter *w, u32 lone)
{
	u32 use = lone & ~RES_STATE_MASK, state;
	struct res_node *front = w->front;

	/* pairs with the barriers after res_mark() */
	smp_mb();
	state = atomic_read_acquire(&front->state);
	if (state == (use | RES_PASSED))
		return res_adopt(w, front, state, NULL);
	return state == (use | RES_LEFT) && res_adopt(w, front, state, READ_ONCE(front->prev));
}

/* False: somebody is behind the node, and looks at it. */
static bool res_remove_node(struct res_waiter *w)
{
	u32 lone;

	do {
		lone = res_fold(w);
		if (!lone) {
			res_pass(w, false);
			return true;
		}
		if (!res_swap_tail(w, READ_ONCE(w->front->tail)))
			return false;
	} while (res_look_again(w, lone));
	return true;
}

/* Leave from behind somebody. Where nobody is behind to free the node, we remove it. */
static void res_leave(struct res_waiter *w)
{
	do {
		WRITE_ONCE(w->node->prev, w->front);
		res_mark(w, RES_LEFT);
		/* Our mark, then the tail; the other way round in res_look_again(). */
		smp_mb();
		if (!res_is_last(w) || !res_adopt(w, w->node, w->use | RES_LEFT, w->front))
			return;
	} while (!res_remove_node(w));
}

/* 0: head of the queue */
static int res_watch(struct res_waiter *w)
{
	int ret = 0;

	while (w->front) {
		/* pairs with the release in res_mark() */
		u32 state = atomic_read_acquire(&w->front->state);

		if (res_step(w, state))
			continue;
		if (ret)
			return ret;
		ret = res_check(w);
		if (!ret)
			res_spin_relax(&w->front->state, state);
	}
	return 0;
}

static void res_set_locked(struct res_waiter *w)
{
	res_take_begin(w);
	WRITE_ONCE(w->lock->locked, w->tag);
	res_take_end(w, true);
}

static int res_head_wait(struct res_waiter *w)
{
	int ret = res_wait_for(w, _Q_LOCKED_PENDING_MASK), val = w->node->tail;

	if (ret) {
		res_pass(w, false);
		return ret;
	}
	res_take_begin(w);
	if (atomic_try_cmpxchg_relaxed(&w->lock->val, &val, w->tag)) {
		res_take_end(w, true);
		res_free_node(w);
		return 0;
	}
	res_take_end(w, false);
	/* Only the head takes a lock that has a queue: a plain store will do. */
	res_set_locked(w);
	res_pass(w, true);
	return 0;
}

/*
 * Interrupts are off from the exchange to the record: a context that was interrupted
 * by one that waits must be seen to be the head.
 */
static void res_join(struct res_waiter *w)
{
	unsigned long flags;
	u32 old;

	/*
	 * The node before the tail that names it. Pairs with the address dependency of the
	 * next in line, who finds the node by its own xchg_tail().
	 */
	smp_wmb();
	local_irq_save(flags);
	old = xchg_tail(w->lock, w->node->tail) & _Q_TAIL_MASK;
	res_stand_behind(w, old ? res_node_of(old) : NULL);
	local_irq_restore(flags);
}

/*
 * All nodes of this CPU are behind CPUs that do not run: wait beside the queue.
 * -EINPROGRESS: there is a node.
 */
static int res_wait_beside(struct res_waiter *w)
{
	int ret = 0;

	for (;;) {
		if (res_take_node(w))
			return -EINPROGRESS;
		if (res_trylock(w))
			return 0;
		if (ret)
			return ret;
		ret = res_check(w);
		if (!ret)
			cpu_relax();
	}
}

static int res_queue_wait(struct res_waiter *w)
{
	int ret;

	w->limit = 2 * RES_DEF_TIMEOUT;
	ret = res_wait_beside(w);
	if (ret != -EINPROGRESS)
		return ret;
	if (res_trylock(w)) {
		res_free_node(w);
		return 0;
	}
	res_join(w);
	ret = res_watch(w);
	if (!ret)
		return res_head_wait(w);
	res_leave(w);
	return ret;
}

static int res_queued_wait(struct res_waiter *w)
{
	int ret = res_pending_wait(w);

	return ret == -EINPROGRESS ? res_queue_wait(w) : ret;
}

/**
 * resilient_queued_spin_lock_slowpath() - acquire a lock that was not free
 * @lock: the lock
 * @val: its word as the fast path saw it
 *
 * Context: any, preemption off.
 * Return: 0, -EDEADLK or -ETIMEDOUT.
 */
int __lockfunc resilient_queued_spin_lock_slowpath(rqspinlock_t *lock, u32 val)
{
	struct res_waiter w;
	int ret;

	if (resilient_virt_spin_lock_enabled())
		return resilient_tas_spin_lock(lock);
	res_waiter_init(&w, lock);
	if (!val && res_trylock(&w))
		return 0;
	trace_contention_begin(lock, LCB_F_SPIN);
	ret = res_enter(&w);
	if (ret != -EINPROGRESS) {
		res_fail_at_once(&w, ret);
		return ret;
	}
	lockevent_inc(rqspinlock_slowpath);
	res_wait_begin(&w);
	ret = res_queued_wait(&w);
	res_wait_finish(&w, ret);
	return ret;
}
EXPORT_SYMBOL_GPL(resilient_queued_spin_lock_slowpath);

#endif /* CONFIG_QUEUED_SPINLOCKS */
