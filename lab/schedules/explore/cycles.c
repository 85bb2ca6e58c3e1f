// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How kernel-patches/7.x/cycles finds deadlocks: a model written from its changelogs. A CPU has a
 * table of the locks that it holds or attempts, and a record of each wait. The lock word does not
 * contain the owner, so the search looks for the one CPU whose table can have the holder's entry.
 *
 * There are no time limits: a cycle that nobody detects is a hang. A waiter searches in each round
 * of its loop, hence at any moment, and two consecutive searches may follow each other at once.
 */
#include "cycles.h"
#include "../../locks/nodes.h"

#define CYCLE_MEMBERS 4
#define CYCLE_VERDICT 2 /* for the oracle: a kind */

/* Which attempt can make progress, according to a lock's word. */
enum cycle_turn {
	CYCLE_TURN_NOBODY,
	CYCLE_TURN_OWNER,
	CYCLE_TURN_PENDING,
	CYCLE_TURN_HEAD,
};

struct cycle_member {
	int cpu, level;
	u32 seq;
};

struct cycle {
	int nr;
	struct cycle_member m[CYCLE_MEMBERS + 1];
};

DEFINE_PER_CPU_ALIGNED(struct cycle_cpu, cycle_cpus);

static bool cycle_without(enum cycle_part part)
{
	return sched_lock->without & part;
}

static void cycle_entry_push(const struct qspinlock *lock)
{
	struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);
	u32 cnt = own->cnt;

	if (cnt >= CYCLE_ENTRIES)
		__builtin_trap();
	/* An interrupt here takes the next entry. */
	WRITE_ONCE(own->cnt, cnt + 1);
	WRITE_ONCE(own->lock[cnt], lock);
}

static void cycle_entry_pop(void)
{
	struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);
	u32 cnt = own->cnt;

	WRITE_ONCE(own->lock[cnt - 1], NULL);
	WRITE_ONCE(own->cnt, cnt - 1);
}

static bool cycle_entry_known(const struct qspinlock *lock)
{
	const struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);
	u32 i;

	for (i = 0; i + 1 < own->cnt; i++) {
		if (own->lock[i] == lock)
			return true;
	}
	return false;
}

static void cycle_wait_begin(struct qspinlock *lock, enum cycle_stage stage, const u32 *turn)
{
	struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);
	u32 level = own->nr;
	struct cycle_wait *wait = &own->wait[level];

	if (level >= CYCLE_LEVELS)
		__builtin_trap();
	WRITE_ONCE(own->nr, level + 1);
	WRITE_ONCE(wait->lock, lock);
	WRITE_ONCE(wait->stage, stage);
	WRITE_ONCE(wait->turn, turn);
	WRITE_ONCE(wait->cnt, own->cnt);
	smp_store_release(&wait->seq, wait->seq + 1);
}

static void cycle_wait_stage(enum cycle_stage stage)
{
	struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);

	WRITE_ONCE(own->wait[own->nr - 1].stage, stage);
}

static void cycle_wait_end(void)
{
	struct cycle_cpu *own = this_cpu_ptr(&cycle_cpus);
	struct cycle_wait *wait = &own->wait[own->nr - 1];

	WRITE_ONCE(wait->seq, wait->seq + 1);
	smp_wmb();
	WRITE_ONCE(own->nr, own->nr - 1);
}

static struct cycle_wait *cycle_member_wait(const struct cycle_member *m)
{
	return &per_cpu(cycle_cpus, m->cpu).wait[m->level];
}

/*
 * Reads the topmost wait. Fails if a context above it has an entry, because that context goes on.
 */
static bool cycle_member_read(int cpu, struct cycle_member *m)
{
	struct cycle_cpu *other = per_cpu_ptr(&cycle_cpus, cpu);
	int level = READ_ONCE(other->nr);

	while (level--) {
		u32 seq = smp_load_acquire(&other->wait[level].seq);

		if (!(seq & 1))
			continue;
		*m = (struct cycle_member){ .cpu = cpu, .level = level, .seq = seq };
		return cycle_without(CYCLE_TOP) ||
		       READ_ONCE(other->cnt) == READ_ONCE(other->wait[level].cnt);
	}
	return false;
}

static enum cycle_turn cycle_turn_read(const struct qspinlock *lock)
{
	u32 val = atomic_read(&lock->val);

	if (val & _Q_LOCKED_MASK || (!val && cycle_without(CYCLE_WORD)))
		return CYCLE_TURN_OWNER;
	if (val & _Q_PENDING_MASK)
		return CYCLE_TURN_PENDING;
	return val ? CYCLE_TURN_HEAD : CYCLE_TURN_NOBODY;
}

/* Is it this waiter's turn? A queued waiter may not have noticed its turn yet. */
static bool cycle_wait_blocks(const struct cycle_wait *wait, enum cycle_turn turn)
{
	u32 stage = READ_ONCE(wait->stage);
	const u32 *handed;

	if (cycle_without(CYCLE_STAGES))
		return false;
	if (turn == CYCLE_TURN_PENDING)
		return stage == CYCLE_PENDING;
	if (turn != CYCLE_TURN_HEAD)
		return false;
	handed = READ_ONCE(wait->turn);
	return stage == CYCLE_HEAD || (stage == CYCLE_QUEUED && handed && READ_ONCE(*handed));
}

/* Can this entry be the holder's? That of a waiting attempt only if it is the waiter's turn. */
static bool cycle_entry_blocks(int cpu, u32 entry, enum cycle_turn turn)
{
	struct cycle_cpu *other = per_cpu_ptr(&cycle_cpus, cpu);
	int level;

	if (cycle_without(CYCLE_ATTEMPTS))
		return true;
	for (level = 0; level < CYCLE_LEVELS; level++) {
		struct cycle_wait *wait = &other->wait[level];

		if (smp_load_acquire(&wait->seq) & 1 && READ_ONCE(wait->cnt) - 1 == entry)
			return cycle_wait_blocks(wait, turn);
	}
	return true;
}

static bool cycle_table_blocks(int cpu, u32 cnt, const struct qspinlock *lock, enum cycle_turn turn)
{
	struct cycle_cpu *other = per_cpu_ptr(&cycle_cpus, cpu);
	u32 i;

	for (i = 0; i < cnt; i++) {
		if (READ_ONCE(other->lock[i]) == lock && cycle_entry_blocks(cpu, i, turn))
			return true;
	}
	return false;
}

static bool cycle_holder_find(const struct qspinlock *lock, struct cycle_member *m)
{
	enum cycle_turn turn = cycle_turn_read(lock);
	int cpu;

	if (turn == CYCLE_TURN_NOBODY)
		return false;
	for_each_possible_cpu(cpu)
	{
		if (cycle_member_read(cpu, m) &&
		    cycle_table_blocks(cpu, READ_ONCE(cycle_member_wait(m)->cnt) - 1, lock, turn))
			return true;
	}
	return false;
}

/* A context on top of the holder's wait may take the lock, too. */
static bool cycle_holder_only(const struct qspinlock *lock, int holder, u32 held,
			      enum cycle_turn turn)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		u32 cnt = READ_ONCE(per_cpu(cycle_cpus, cpu).cnt);

		if (cpu == holder ? cnt != held : cycle_table_blocks(cpu, cnt, lock, turn))
			return false;
	}
	return true;
}

/* The word is read before and after the tables. */
static bool cycle_holder_certain(const struct qspinlock *lock, int holder, u32 held)
{
	enum cycle_turn turn = cycle_turn_read(lock);

	return turn != CYCLE_TURN_NOBODY &&
	       (cycle_without(CYCLE_OTHERS) || cycle_holder_only(lock, holder, held, turn)) &&
	       cycle_turn_read(lock) == turn;
}

/* The second look: there was a moment at which all these waits existed. */
static bool cycle_stands(const struct qspinlock *lock, const struct cycle *cycle)
{
	int i;

	for (i = 0; i < cycle->nr; i++) {
		struct cycle_wait *wait = cycle_member_wait(&cycle->m[i]);

		if (!cycle_holder_certain(lock, cycle->m[i].cpu, READ_ONCE(wait->cnt)))
			return false;
		lock = READ_ONCE(wait->lock);
	}
	for (i = 0; i < cycle->nr && !cycle_without(CYCLE_SECOND_LOOK); i++) {
		if (READ_ONCE(cycle_member_wait(&cycle->m[i])->seq) != cycle->m[i].seq)
			return false;
	}
	return true;
}

static bool cycle_passes(const struct cycle *cycle, int cpu)
{
	int i;

	for (i = 0; i < cycle->nr; i++) {
		if (cycle->m[i].cpu == cpu)
			return true;
	}
	return false;
}

/* Follows the chain of holders until it reaches this CPU. */
static bool cycle_find(const struct qspinlock *lock, struct cycle *cycle)
{
	int most = cycle_without(CYCLE_MORE_THAN_2) ? 2 : CYCLE_MEMBERS;
	const struct qspinlock *next = lock;

	for (cycle->nr = 0; cycle->nr < most; cycle->nr++) {
		struct cycle_member m;

		if (!cycle_holder_find(next, &m) || cycle_passes(cycle, m.cpu))
			return false;
		cycle->m[cycle->nr] = m;
		if (m.cpu == smp_processor_id())
			break;
		next = READ_ONCE(cycle_member_wait(&m)->lock);
	}
	if (!cycle->nr || cycle->nr++ == most)
		return false;
	return cycle_stands(lock, cycle);
}

/* Among the members that can leave, the one on the lowest CPU does. */
static bool cycle_victim_other(const struct cycle *cycle)
{
	int i;

	for (i = 0; i < cycle->nr; i++) {
		if (cycle->m[i].cpu < smp_processor_id() &&
		    READ_ONCE(cycle_member_wait(&cycle->m[i])->stage) != CYCLE_QUEUED)
			return true;
	}
	return false;
}

/* A verdict needs the same cycle in two consecutive searches. */
static bool cycle_search(struct qspinlock *lock, struct cycle *before)
{
	struct cycle cycle = {};
	bool same;

	if (!cycle_find(lock, &cycle))
		cycle.nr = 0;
	same = cycle_without(CYCLE_AGAIN) || !memcmp(&cycle, before, sizeof(cycle));
	*before = cycle;
	return cycle.nr && same && (cycle_without(CYCLE_VICTIM) || !cycle_victim_other(&cycle));
}

static int cycle_wait_for(struct qspinlock *lock, u32 mask)
{
	struct cycle before = {};

	while (smp_load_acquire((u32 *)&lock->val.counter) & mask) {
		if (cycle_search(lock, &before) && atomic_read(&lock->val) & mask) {
			mc_reported(CYCLE_VERDICT, -EDEADLK);
			return -EDEADLK;
		}
		cpu_relax();
	}
	return 0;
}

/* Returns 1 if another CPU waits already. */
static int cycle_lock_next(struct qspinlock *lock)
{
	u32 val = queued_fetch_set_pending_acquire(lock);
	int err = 0;

	if (val & ~_Q_LOCKED_MASK) {
		if (!(val & _Q_PENDING_MASK))
			clear_pending(lock);
		return 1;
	}
	if (val && cycle_entry_known(lock)) {
		clear_pending(lock);
		return -EDEADLK;
	}
	if (val) {
		cycle_wait_begin(lock, CYCLE_PENDING, NULL);
		err = cycle_wait_for(lock, _Q_LOCKED_MASK);
		cycle_wait_end();
	}
	if (err)
		clear_pending(lock);
	else
		clear_pending_set_locked(lock);
	return err;
}

/* Replaces the tail by @val if it is still @tail. */
static bool cycle_tail_replace(struct qspinlock *lock, u32 tail, u32 val)
{
	int old = atomic_read(&lock->val);

	while ((old & _Q_TAIL_MASK) == tail) {
		if (atomic_try_cmpxchg_relaxed(&lock->val, &old, (old & ~_Q_TAIL_MASK) | val))
			return true;
	}
	return false;
}

static void cycle_node_wait(struct lab_node *node, u32 old)
{
	cycle_wait_stage(CYCLE_QUEUED);
	WRITE_ONCE(lab_node_of(old)->next, node);
	smp_cond_load_acquire(&node->turn, VAL);
	cycle_wait_stage(CYCLE_HEAD);
}

static int cycle_lock_queued(struct qspinlock *lock)
{
	unsigned long flags;
	u32 tail, old;
	struct lab_node *node = lab_node_get(&tail);
	int err;

	local_irq_save(flags);
	cycle_wait_begin(lock, CYCLE_HEAD, &node->turn);
	old = xchg_tail(lock, tail) & _Q_TAIL_MASK;
	if (old)
		cycle_node_wait(node, old);
	err = cycle_wait_for(lock, _Q_LOCKED_PENDING_MASK);
	cycle_wait_end();
	if (!cycle_tail_replace(lock, tail, err ? 0 : _Q_LOCKED_VAL)) {
		if (!err)
			WRITE_ONCE(lock->locked, _Q_LOCKED_VAL);
		smp_store_release(&lab_node_next(node)->turn, 1);
	}
	local_irq_restore(flags);
	lab_node_put();
	return err;
}

static int cycle_lock_slow(struct qspinlock *lock, u32 val)
{
	int err = val & ~_Q_LOCKED_MASK ? 1 : cycle_lock_next(lock);

	if (err <= 0)
		return err;
	return cycle_entry_known(lock) ? -EDEADLK : cycle_lock_queued(lock);
}

static int cycle_lock(struct qspinlock *lock)
{
	int val = 0, err;

	cycle_entry_push(lock);
	if (atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL))
		return 0;
	err = cycle_lock_slow(lock, val);
	if (err)
		cycle_entry_pop();
	return err;
}

static void cycle_unlock(struct qspinlock *lock)
{
	smp_store_release(&lock->locked, 0);
	cycle_entry_pop();
}

#define LAB_ID		 cycles
#define LAB_NAME	 "cycles"
#define LAB_ABOUT	 "finds cycles by a table of entries and records of waits"
#define LAB_FLAGS	 LAB_RESILIENT
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 cycle_lock(&(l)->queued)
#define LAB_UNLOCK(l, c) cycle_unlock(&(l)->queued)
#include "../../locks/loops.h"
