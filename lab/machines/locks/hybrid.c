// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our queue for virtual machines (docs/lock.md): newcomers take a free lock past the queue while
 * its door is open, that is, while the pending bit is clear. Waiters behind the head halt after a
 * while, or at once when the waiter in front does not run; the waiter in front kicks them. The head
 * never halts. Left out are ticks, which end a halt, waiters that leave, stealing by a CPU without
 * a free node, and the try before a wait is set up. The time limit counts from the start of the
 * wait, not from the last change of owner. A failed wait leaves its node in the queue, so results
 * after an error are void.
 */
#include <errno.h>

#include "core/host.h"
#include "locks/clh.h"
#include "locks/qspin.h"
#include "locks/lock.h"

#define STEAL  (20 * SIM_US)
#define HALT   (40 * SIM_US)
#define CLOSED (100 * SIM_US)
#define OPEN   (25 * SIM_US)

static bool steal_once(struct sim_cpu *c, struct sim_lock *l, uint64_t *val)
{
	*val = sim_read(c, &l->word);
	if (*val & Q_BUSY || sim_cas(c, &l->word, *val, *val | res_tag(c->id)) != *val)
		return false;
	l->unfair += *val != 0;
	return true;
}

/* Return: -EINPROGRESS: queue. */
static int hybrid_steal(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	sim_time end = c->sim->now + STEAL;
	uint64_t val;
	int ret;

	for (;;) {
		if (steal_once(c, l, &val))
			return 0;
		if (val & Q_PENDING || c->sim->now >= end)
			return -EINPROGRESS;
		if (!(val & Q_BUSY) || sim_watch(c, &l->word, k->next < end ? k->next : end))
			continue;
		ret = res_check(c, l, k);
		if (ret)
			return ret;
	}
}

static bool front_runs(struct sim_cpu *c, struct sim_lock *l, int front)
{
	struct vcpu *v = c->sim->cpu[front / CLH_NODES].host;

	return !sim_read(c, &clh_node(l, front)->halted) && (!v || v->state == VCPU_RUNS);
}

static int hybrid_doze(struct sim_cpu *c, struct sim_lock *l, int mine, int front, uint64_t state,
		       struct res_look *k)
{
	struct clh_node *me = clh_node(l, mine), *there = clh_node(l, front);
	int ret = 0;

	sim_store(c, &me->halted, UINT64_MAX, 1);
	sim_store(c, &there->behind, UINT64_MAX, mine + 1);
	if (sim_cas(c, &there->state, state, CLH_ASLEEP) == state) {
		k->next = 0;
		ret = res_check(c, l, k);
		if (!ret && sim_read(c, &me->halted))
			host_halt(c);
	}
	sim_store(c, &me->halted, UINT64_MAX, 0);
	return ret;
}

static int wait_front(struct sim_cpu *c, struct sim_lock *l, int mine, int front,
		      struct res_look *k)
{
	struct sim_var *n = &clh_node(l, front)->state;
	sim_time end = k->start + HALT;
	uint64_t state;
	int ret = 0;

	for (;;) {
		bool patient = c->sim->now < end && front_runs(c, l, front);

		state = sim_read(c, n);
		if (ret || state == CLH_PASSED)
			break;
		if (!patient)
			ret = hybrid_doze(c, l, mine, front, state, k);
		else if (!sim_watch(c, n, k->next < end ? k->next : end))
			ret = res_check(c, l, k);
	}
	if (!ret)
		sim_cas(c, n, CLH_PASSED, CLH_FREE);
	return ret;
}

/* Waits until the lock is free and the door is closed. */
static int wait_at_door(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	bool closed = false, free;
	sim_time next = 0;
	int ret;

	for (;;) {
		free = !(sim_read(c, &l->word) & Q_LOCKED);
		if (free && closed)
			return 0;
		if (free || c->sim->now >= next) {
			closed = !closed;
			sim_swap(c, &l->word, Q_PENDING, closed ? Q_PENDING : 0);
			next = c->sim->now + (closed ? CLOSED : OPEN);
			continue;
		}
		if (sim_watch(c, &l->word, k->next < next ? k->next : next))
			continue;
		ret = res_check(c, l, k);
		if (ret)
			return ret;
	}
}

static void hybrid_take(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	struct clh_node *me = clh_node(l, mine);
	int behind;

	if (clh_take_alone(c, l, mine, sim_read(c, &l->word)))
		return;
	sim_store(c, &l->word, Q_BUSY, res_tag(c->id));
	if (clh_pass(c, l, mine) != CLH_ASLEEP)
		return;
	behind = (int)sim_read(c, &me->behind) - 1;
	sim_store(c, &clh_node(l, behind)->halted, UINT64_MAX, 0);
	host_kick(c, behind / CLH_NODES);
}

static int hybrid_queue(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	int mine, front = clh_join(c, l, &mine), ret = 0;

	if (front == CLH_LOCKED)
		return 0;
	if (front >= 0)
		ret = wait_front(c, l, mine, front, k);
	if (!ret)
		ret = wait_at_door(c, l, k);
	if (ret)
		return ret;
	hybrid_take(c, l, mine);
	l->queued++;
	return 0;
}

static int hybrid_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, res_tag(c->id));
	struct res_look k;
	int ret;

	if (!val || (!res_mine(c, val) && steal_once(c, l, &val)))
		return 0;
	if (res_mine(c, val))
		return -EDEADLK;
	res_wait_begin(c, l, &k, QUEUE_LIMIT);
	ret = hybrid_steal(c, l, &k);
	if (ret == -EINPROGRESS)
		ret = hybrid_queue(c, l, &k);
	res_wait_end(c, l);
	return ret;
}

const struct lock_ops hybrid_lock = {
	.name = "hybrid",
	.source = "docs/lock.md",
	.state = sizeof(struct clh_cpu),
	.init = clh_init,
	.done = clh_done,
	.acquire = hybrid_acquire,
	.release = q_release,
	.finds_deadlocks = true,
};
