// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * qspinlock: pending bit, then an MCS queue whose head watches the word. The head takes the lock
 * with a plain store ("A simple write to grab the lock", Waiman Long, April 2015) or, as before
 * that, with a compare-and-exchange of the whole word that fails when a newcomer changed the tail.
 */
#include <stdlib.h>

#include "locks/qspin.h"
#include "locks/lock.h"

enum { STORE, CMPXCHG };

void q_init(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus; i++) {
		struct mcs_cpu *n = lock_cpu_state(l, i);

		line_init(&n->line, l->sim, i);
		n->next.line = &n->line;
		n->go.line = &n->line;
	}
}

void q_done(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus; i++)
		line_free(&((struct mcs_cpu *)lock_cpu_state(l, i))->line);
}

static void wait_turn(struct sim_cpu *c, struct sim_lock *l, int front)
{
	struct mcs_cpu *me = lock_cpu_state(l, c->id), *prev = lock_cpu_state(l, front);

	sim_store(c, &prev->next, UINT64_MAX, c->id + 1);
	while (!sim_read(c, &me->go))
		sim_watch(c, &me->go, SIM_NEVER);
}

uint64_t q_wait_free(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val;

	while ((val = sim_read(c, &l->word)) & Q_BUSY)
		sim_watch(c, &l->word, SIM_NEVER);
	return val;
}

/* Return: true if no waiter is behind. */
static bool q_take(struct sim_cpu *c, struct sim_lock *l, uint64_t val)
{
	uint64_t tail = q_tail(c->id), old;

	for (;;) {
		bool last = (val & Q_TAIL) == tail;

		if (!last && l->ops->param == STORE) {
			sim_store(c, &l->word, Q_LOCKED, 1);
			return false;
		}
		old = sim_cas(c, &l->word, val, last ? 1 : val | 1);
		if (old == val)
			return last;
		val = old & Q_BUSY ? q_wait_free(c, l) : old;
	}
}

static void q_pass(struct sim_cpu *c, struct sim_lock *l)
{
	struct mcs_cpu *me = lock_cpu_state(l, c->id), *behind;
	uint64_t next;

	while (!(next = sim_read(c, &me->next)))
		sim_watch(c, &me->next, SIM_NEVER);
	behind = lock_cpu_state(l, next - 1);
	sim_store(c, &behind->go, UINT64_MAX, 1);
}

bool q_join(struct sim_cpu *c, struct sim_lock *l)
{
	struct mcs_cpu *me = lock_cpu_state(l, c->id);
	int front;

	sim_store(c, &me->next, UINT64_MAX, 0);
	sim_store(c, &me->go, UINT64_MAX, 0);
	if (q_trylock(c, l, 1))
		return true;
	front = q_last(sim_swap(c, &l->word, Q_TAIL, q_tail(c->id)));
	if (front >= 0)
		wait_turn(c, l, front);
	return false;
}

void q_queue(struct sim_cpu *c, struct sim_lock *l)
{
	if (!q_join(c, l) && !q_take(c, l, q_wait_free(c, l)))
		q_pass(c, l);
}

static int q_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, 1);

	if (val && !q_pending(c, l, val, 1))
		q_queue(c, l);
	return 0;
}

void q_release(struct sim_cpu *c, struct sim_lock *l)
{
	sim_store(c, &l->word, Q_LOCKED, 0);
}

const struct lock_ops qspin_lock = {
	.name = "qspinlock",
	.source = "Linux 4.2",
	.state = sizeof(struct mcs_cpu),
	.param = STORE,
	.init = q_init,
	.done = q_done,
	.acquire = q_acquire,
	.release = q_release,
};

const struct lock_ops qspin_cas_lock = {
	.name = "qspinlock-cmpxchg",
	.source = "Linux 4.1, before the simple write",
	.state = sizeof(struct mcs_cpu),
	.param = CMPXCHG,
	.init = q_init,
	.done = q_done,
	.acquire = q_acquire,
	.release = q_release,
};
