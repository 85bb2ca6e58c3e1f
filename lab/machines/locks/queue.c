// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our queue (docs/lock.md, section 2): owner tag in the locked byte, pending bit, and a CLH queue
 * whose waiters watch the node in front (clh.h). Waiters that leave are left out: a simulation of a
 * fault ends with the first error.
 */
#include <errno.h>

#include "locks/clh.h"
#include "locks/qspin.h"
#include "locks/lock.h"

#define PENDING_LIMIT (250 * SIM_MS)
/* Tries before the pending bit, while nobody else waits: RES_SPINS of x86. */
#define TRIES 8

/*
 * PASSES_LATE: the head waits in its place, and passes it on when it has the lock. The others leave
 * parts out, to see what they cost. Such a lock cannot be built: the store overwrites what a waiter
 * that leaves has written, and a node is free before its CPU knows that.
 */
enum { PASSES_LATE = 1, STORE_PASSES = 2, FREE_COSTS_NOTHING = 4, NO_CHECKS = 8 };

static int wait_front(struct sim_cpu *c, struct sim_lock *l, int front, struct res_look *k)
{
	struct sim_var *n = &clh_node(l, front)->state;
	int ret;

	while (sim_read(c, n) != CLH_PASSED) {
		ret = res_spin(c, l, n, k);
		if (ret)
			return ret;
	}
	if (l->ops->param & FREE_COSTS_NOTHING)
		n->value = CLH_FREE;
	else
		sim_cas(c, n, CLH_PASSED, CLH_FREE);
	return 0;
}

static int wait_word(struct sim_cpu *c, struct sim_lock *l, uint64_t busy, struct res_look *k)
{
	int ret;

	while (sim_read(c, &l->word) & busy) {
		ret = res_spin(c, l, &l->word, k);
		if (ret)
			return ret;
	}
	return 0;
}

static void place_pass(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	if (l->ops->param & STORE_PASSES)
		sim_store(c, &clh_node(l, mine)->state, UINT64_MAX, CLH_PASSED);
	else
		clh_pass(c, l, mine);
}

static int head_wait_late(struct sim_cpu *c, struct sim_lock *l, int mine, struct res_look *k)
{
	int ret = wait_word(c, l, Q_BUSY, k);

	if (ret || clh_take_alone(c, l, mine, sim_read(c, &l->word) & ~Q_BUSY))
		return ret;
	sim_store(c, &l->word, Q_LOCKED, res_tag(c->id));
	place_pass(c, l, mine);
	return 0;
}

/* Without a place in the queue from here on, where nobody else has one. */
static void queue_leave(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	uint64_t val = sim_read(c, &l->word), old;

	for (; (val & Q_TAIL) == q_tail(mine); val = old) {
		old = sim_cas(c, &l->word, val, val & ~Q_TAIL);
		if (old != val)
			continue;
		sim_store(c, &clh_node(l, mine)->state, UINT64_MAX, CLH_FREE);
		return;
	}
	place_pass(c, l, mine);
}

static int wait_pending(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	int ret = wait_word(c, l, Q_LOCKED, k);

	if (!ret)
		sim_store(c, &l->word, Q_BUSY, res_tag(c->id));
	return ret;
}

/* A newcomer that has to queue may have the pending bit for an instant. */
static int head_wait(struct sim_cpu *c, struct sim_lock *l, int mine, struct res_look *k)
{
	do {
		int ret = wait_word(c, l, Q_PENDING, k);

		if (ret)
			return ret;
	} while (sim_swap(c, &l->word, Q_PENDING, Q_PENDING) & Q_PENDING);
	queue_leave(c, l, mine);
	return wait_pending(c, l, k);
}

static int queue_join(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	int mine, front = clh_join(c, l, &mine), ret = 0;

	if (front == CLH_LOCKED)
		return 0;
	if (front >= 0)
		ret = wait_front(c, l, front, k);
	if (ret)
		return ret;
	if (l->ops->param & PASSES_LATE)
		return head_wait_late(c, l, mine, k);
	return head_wait(c, l, mine, k);
}

/*
 * The owner may be about to release, and a lock whose line stays in place costs less. A change of
 * the word ends the PAUSE between two tries early, as for all CPUs that spin here.
 */
static bool try_first(struct sim_cpu *c, struct sim_lock *l)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t val = sim_read(c, &l->word);

		if (val & ~Q_LOCKED)
			return false;
		if (!val && !sim_cas(c, &l->word, 0, res_tag(c->id)))
			return true;
		sim_watch(c, &l->word, c->sim->now + c->sim->topo.pause);
	}
	return false;
}

static int queue_wait(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	if (try_first(c, l))
		return 0;
	if (!q_set_pending(c, l, sim_read(c, &l->word))) {
		k->limit = c->sim->now + QUEUE_LIMIT;
		return queue_join(c, l, k);
	}
	return wait_pending(c, l, k);
}

static int queue_slow(struct sim_cpu *c, struct sim_lock *l)
{
	struct res_look k;
	int ret;

	if (q_trylock(c, l, res_tag(c->id)))
		return 0;
	res_wait_begin(c, l, &k, PENDING_LIMIT);
	if (l->ops->param & NO_CHECKS)
		k.next = SIM_NEVER;
	ret = queue_wait(c, l, &k);
	res_wait_end(c, l);
	return ret;
}

static int queue_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, res_tag(c->id));
	int ret = 0;

	if (val)
		ret = res_mine(c, val) ? -EDEADLK : queue_slow(c, l);
	return ret;
}

#define QUEUE_LOCK(called, parts)                          \
	{                                                  \
		.name = called,                            \
		.source = "docs/lock.md",                  \
		.state = sizeof(struct clh_cpu),           \
		.param = (parts),                          \
		.init = clh_init,                          \
		.done = clh_done,                          \
		.acquire = queue_acquire,                  \
		.release = q_release,                      \
		.finds_deadlocks = !((parts) & NO_CHECKS), \
	}

const struct lock_ops queue_lock = QUEUE_LOCK("queue", 0);
const struct lock_ops queue_late_lock = QUEUE_LOCK("queue-late", PASSES_LATE);
const struct lock_ops queue_bare_lock =
	QUEUE_LOCK("queue-bare", STORE_PASSES | FREE_COSTS_NOTHING | NO_CHECKS);
