// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The paravirtual qspinlock, and its hybrid of queued and unfair mode (Waiman Long, November 2017).
 * A waiter tries once to take a free lock past the queue, or, in the hybrid, for as long as there
 * is a queue whose head does not spin. Waiters halt. Locked byte 3: the head has halted, and the
 * release kicks it. The hash table that the kernel has for such heads is a field of the lock here.
 */
#include "core/host.h"
#include "locks/qspin.h"
#include "locks/lock.h"

#define LOCKED	   1ULL
#define SLOW	   3ULL
#define SPINS	   (1 << 15)
#define LOOK_EVERY (10 * SIM_US)

enum { PV, HYBRID };
enum { RUNNING, HALTED, HASHED };

struct pv_cpu {
	struct sim_line line;
	struct sim_var next, go, state;
	int hashed; /* only of entry 0: the CPU to kick */
};

static void pv_init(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus; i++) {
		struct pv_cpu *n = lock_cpu_state(l, i);

		line_init(&n->line, l->sim, i);
		n->next.line = n->go.line = n->state.line = &n->line;
	}
}

static void pv_done(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus; i++)
		line_free(&((struct pv_cpu *)lock_cpu_state(l, i))->line);
}

static struct pv_cpu *pv_node(struct sim_lock *l, int cpu)
{
	return lock_cpu_state(l, cpu);
}

static bool pv_steal(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val;

	for (;;) {
		val = sim_read(c, &l->word);
		if (!(val & Q_BUSY) && sim_cas(c, &l->word, val, val | LOCKED) == val)
			return true;
		if (l->ops->param == PV || !(val & Q_TAIL) || (val & Q_PENDING))
			return false;
		if (val & Q_BUSY)
			sim_watch(c, &l->word, SIM_NEVER);
	}
}

/* Return: true if this waiter is head now; false if it has spun for too long. */
static bool spin_behind(struct sim_cpu *c, struct sim_lock *l, int front)
{
	sim_time end = c->sim->now + SPINS * c->sim->topo.pause, look;

	while (!sim_read(c, &pv_node(l, c->id)->go)) {
		look = c->sim->now + LOOK_EVERY;
		sim_watch(c, &pv_node(l, c->id)->go, look < end ? look : end);
		if (c->sim->now >= end ||
		    (c->sim->now >= look && sim_read(c, &pv_node(l, front)->state) != RUNNING))
			return sim_read(c, &pv_node(l, c->id)->go);
	}
	return true;
}

static void wait_turn(struct sim_cpu *c, struct sim_lock *l, int front)
{
	struct pv_cpu *me = pv_node(l, c->id);

	sim_store(c, &pv_node(l, front)->next, UINT64_MAX, c->id + 1);
	while (!spin_behind(c, l, front)) {
		sim_swap(c, &me->state, UINT64_MAX, HALTED);
		if (!sim_read(c, &me->go))
			host_halt(c);
		sim_cas(c, &me->state, HALTED, RUNNING);
	}
}

/* Return: true if the caller has the lock. */
static bool spin_first(struct sim_cpu *c, struct sim_lock *l, uint64_t *val)
{
	sim_time end = c->sim->now + SPINS * c->sim->topo.pause;

	sim_swap(c, &l->word, Q_PENDING, Q_PENDING);
	do {
		*val = sim_read(c, &l->word);
		if (!(*val & Q_LOCKED) &&
		    sim_cas(c, &l->word, *val, (*val & ~Q_PENDING) | LOCKED) == *val)
			return true;
	} while (sim_watch(c, &l->word, end) || c->sim->now < end);
	sim_swap(c, &l->word, Q_PENDING, 0);
	return false;
}

static void wait_lock(struct sim_cpu *c, struct sim_lock *l)
{
	struct pv_cpu *me = pv_node(l, c->id);
	uint64_t val;

	while (!spin_first(c, l, &val)) {
		if (sim_read(c, &me->state) != HASHED) {
			pv_node(l, 0)->hashed = c->id;
			if (!(sim_swap(c, &l->word, Q_LOCKED, SLOW) & Q_LOCKED)) {
				sim_swap(c, &l->word, Q_LOCKED, LOCKED);
				return;
			}
		}
		sim_swap(c, &me->state, UINT64_MAX, HASHED);
		host_halt(c);
		sim_swap(c, &me->state, UINT64_MAX, RUNNING);
	}
}

/* Makes the next waiter head. If it has halted, the release of the lock kicks it. */
static void pv_pass(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t next;

	while (!(next = sim_read(c, &pv_node(l, c->id)->next)))
		sim_watch(c, &pv_node(l, c->id)->next, SIM_NEVER);
	sim_store(c, &pv_node(l, next - 1)->go, UINT64_MAX, 1);
	if (sim_cas(c, &pv_node(l, next - 1)->state, HALTED, HASHED) != HALTED)
		return;
	pv_node(l, 0)->hashed = next - 1;
	sim_store(c, &l->word, Q_LOCKED, SLOW);
}

static void pv_queue(struct sim_cpu *c, struct sim_lock *l)
{
	struct pv_cpu *me = pv_node(l, c->id);
	uint64_t tail = q_tail(c->id), val;
	int front;

	sim_store(c, &me->next, UINT64_MAX, 0);
	sim_store(c, &me->go, UINT64_MAX, 0);
	sim_store(c, &me->state, UINT64_MAX, RUNNING);
	front = q_last(sim_swap(c, &l->word, Q_TAIL, tail));
	if (front >= 0)
		wait_turn(c, l, front);
	wait_lock(c, l);
	val = sim_read(c, &l->word);
	if ((val & Q_TAIL) != tail || sim_cas(c, &l->word, val, val & ~Q_TAIL) != val)
		pv_pass(c, l);
	l->queued++;
}

static int pv_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	if (!sim_cas(c, &l->word, 0, LOCKED))
		return 0;
	if (pv_steal(c, l))
		l->unfair++;
	else
		pv_queue(c, l);
	return 0;
}

static void pv_release(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t old = sim_swap(c, &l->word, Q_LOCKED, 0);

	if ((old & Q_LOCKED) == SLOW)
		host_kick(c, pv_node(l, 0)->hashed);
}

const struct lock_ops pv_lock = {
	.name = "pv",
	.source = "Linux 4.14",
	.state = sizeof(struct pv_cpu),
	.param = PV,
	.init = pv_init,
	.done = pv_done,
	.acquire = pv_acquire,
	.release = pv_release,
};

const struct lock_ops hybrid_pv_lock = {
	.name = "hybrid-pv",
	.source = "Linux 4.15",
	.state = sizeof(struct pv_cpu),
	.param = HYBRID,
	.init = pv_init,
	.done = pv_done,
	.acquire = pv_acquire,
	.release = pv_release,
};
