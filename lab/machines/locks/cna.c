// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compact NUMA-aware lock (Dice and Kogan, EuroSys 2019): a qspinlock whose owner hands over to the
 * next waiter of its own socket. Waiters that it passes over move to a second queue, which is
 * handed over with the lock: a circular list, of which the owner has the last waiter.
 * lab/locks/cna.c is the same for real threads.
 */
#include "locks/qspin.h"
#include "locks/lock.h"

/* One hand-over in so many, at random, goes to the second queue. */
#define LOTS 0x10000

struct cna_cpu {
	struct mcs_cpu mcs; /* first, for q_init() */
	struct sim_var socket;
	int second; /* CPU + 1 of the second queue's last waiter; passed on with the lock */
};

static struct cna_cpu *cna_node(struct sim_lock *l, uint64_t number)
{
	return lock_cpu_state(l, (int)number - 1);
}

static void cna_init(struct sim_lock *l)
{
	q_init(l);
	for (int i = 0; i < l->sim->ncpus; i++) {
		struct cna_cpu *n = lock_cpu_state(l, i);

		n->socket.line = &n->mcs.line;
		n->socket.value = l->sim->cpu[i].place.socket;
	}
}

static void hand_over(struct sim_cpu *c, struct sim_lock *l, uint64_t to, int second)
{
	cna_node(l, to)->second = second;
	sim_store(c, &cna_node(l, to)->mcs.go, UINT64_MAX, 1);
}

/* Append waiters @from to @to to the second queue. Return: its new last waiter. */
static int cna_append(struct sim_cpu *c, struct sim_lock *l, int second, uint64_t from, uint64_t to)
{
	uint64_t first = second ? sim_read(c, &cna_node(l, second)->mcs.next) : from;

	sim_store(c, &cna_node(l, to)->mcs.next, UINT64_MAX, first);
	if (second)
		sim_store(c, &cna_node(l, second)->mcs.next, UINT64_MAX, from);
	return (int)to;
}

/*
 * The first waiter of this socket from @next on, or 0; those in front of it join the second queue.
 */
static uint64_t find_near(struct sim_cpu *c, struct sim_lock *l, uint64_t next, int *second)
{
	uint64_t n = next, last = 0;

	while (n && (int)sim_read(c, &cna_node(l, n)->socket) != c->place.socket) {
		last = n;
		n = sim_read(c, &cna_node(l, n)->mcs.next);
	}
	if (n && last)
		*second = cna_append(c, l, *second, next, last);
	return n;
}

/* Hand over to the second queue; @next and the waiters behind follow it. */
static void hand_over_far(struct sim_cpu *c, struct sim_lock *l, int second, uint64_t next)
{
	uint64_t first = sim_read(c, &cna_node(l, second)->mcs.next);

	sim_store(c, &cna_node(l, second)->mcs.next, UINT64_MAX, next);
	hand_over(c, l, first, 0);
}

static void hand_over_behind(struct sim_cpu *c, struct sim_lock *l)
{
	struct cna_cpu *me = cna_node(l, c->id + 1);
	int second = me->second;
	uint64_t next, near = 0;

	while (!(next = sim_read(c, &me->mcs.next)))
		sim_watch(c, &me->mcs.next, SIM_NEVER);
	if (rng_below(&c->sim->rng, LOTS))
		near = find_near(c, l, next, &second);
	if (near)
		hand_over(c, l, near, second);
	else if (second)
		hand_over_far(c, l, second, next);
	else
		hand_over(c, l, next, 0);
}

/* No waiter is behind us except in the second queue. Return: false if a newcomer has queued. */
static bool take_alone(struct sim_cpu *c, struct sim_lock *l, uint64_t val)
{
	int second = cna_node(l, c->id + 1)->second;
	uint64_t first;

	if (!second)
		return sim_cas(c, &l->word, val, 1) == val;
	/* Newcomers write to the next pointer of the last waiter as soon as the word names it. */
	first = sim_read(c, &cna_node(l, second)->mcs.next);
	sim_store(c, &cna_node(l, second)->mcs.next, UINT64_MAX, 0);
	if (sim_cas(c, &l->word, val, q_tail(second - 1) | 1) == val) {
		hand_over(c, l, first, 0);
		return true;
	}
	sim_store(c, &cna_node(l, second)->mcs.next, UINT64_MAX, first);
	return false;
}

static void cna_queue(struct sim_cpu *c, struct sim_lock *l)
{
	struct cna_cpu *me = cna_node(l, c->id + 1);
	uint64_t val;

	me->second = 0;
	if (q_join(c, l))
		return;
	val = q_wait_free(c, l);
	if (val == q_tail(c->id) && take_alone(c, l, val))
		return;
	sim_store(c, &l->word, Q_LOCKED, 1);
	hand_over_behind(c, l);
}

static int cna_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, 1);

	if (val && !q_pending(c, l, val, 1))
		cna_queue(c, l);
	return 0;
}

const struct lock_ops cna_lock = {
	.name = "cna",
	.source = "Dice and Kogan, EuroSys 2019",
	.state = sizeof(struct cna_cpu),
	.init = cna_init,
	.done = q_done,
	.acquire = cna_acquire,
	.release = q_release,
};
