// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our queue (docs/lock.md, section 2): owner tag in the locked byte, pending bit, and a CLH queue
 * whose waiters watch the node in front. Waiters that leave are left out: a simulation of a fault
 * ends with the first error.
 */
#include <errno.h>

#include "locks/qspin.h"
#include "locks/table.h"
#include "locks/watch.h"

#define NODES	      4
#define PENDING_LIMIT (250 * SIM_MS)
#define QUEUE_LIMIT   (500 * SIM_MS)

enum { FREE, WAIT, PASSED };

struct clh_cpu {
	struct {
		struct sim_line line;
		struct sim_var state;
	} node[NODES];
};

static void init(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus * NODES; i++) {
		struct clh_cpu *n = lock_cpu_state(l, i / NODES);

		line_init(&n->node[i % NODES].line, l->sim, i / NODES);
		n->node[i % NODES].state.line = &n->node[i % NODES].line;
	}
}

static void done(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus * NODES; i++) {
		struct clh_cpu *n = lock_cpu_state(l, i / NODES);

		line_free(&n->node[i % NODES].line);
	}
}

static struct sim_var *node(struct sim_lock *l, int number)
{
	struct clh_cpu *n = lock_cpu_state(l, number / NODES);

	return &n->node[number % NODES].state;
}

/* A CPU that finds no free node spins until there is one. */
static int take_node(struct sim_cpu *c, struct sim_lock *l)
{
	for (int i = 0;; i = (i + 1) % NODES) {
		struct sim_var *n = node(l, c->id * NODES + i);

		if (sim_read(c, n) == FREE && sim_cas(c, n, FREE, WAIT) == FREE)
			return c->id * NODES + i;
	}
}

static int wait_front(struct sim_cpu *c, struct sim_lock *l, int front, struct res_look *k)
{
	struct sim_var *n = node(l, front);
	int ret;

	while (sim_read(c, n) != PASSED) {
		ret = res_spin(c, l, n, k);
		if (ret)
			return ret;
	}
	sim_cas(c, n, PASSED, FREE);
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

static void take(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	uint64_t tail = q_tail(mine);

	if ((sim_read(c, &l->word) & Q_TAIL) == tail &&
	    sim_cas(c, &l->word, tail, res_tag(c->id)) == tail) {
		sim_store(c, node(l, mine), UINT64_MAX, FREE);
		return;
	}
	sim_store(c, &l->word, Q_LOCKED, res_tag(c->id));
	sim_swap(c, node(l, mine), UINT64_MAX, PASSED);
}

static int queue(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	int mine = take_node(c, l), front, ret = 0;

	if (q_trylock(c, l, res_tag(c->id))) {
		sim_store(c, node(l, mine), UINT64_MAX, FREE);
		return 0;
	}
	front = q_last(sim_swap(c, &l->word, Q_TAIL, q_tail(mine)));
	if (front >= 0)
		ret = wait_front(c, l, front, k);
	if (!ret)
		ret = wait_word(c, l, Q_BUSY, k);
	if (!ret)
		take(c, l, mine);
	return ret;
}

static int slow(struct sim_cpu *c, struct sim_lock *l, uint64_t val)
{
	struct res_look k;
	int ret;

	res_wait_begin(c, l, &k, PENDING_LIMIT);
	if (!q_set_pending(c, l, val)) {
		k.limit = c->sim->now + QUEUE_LIMIT;
		ret = queue(c, l, &k);
	} else {
		ret = wait_word(c, l, Q_LOCKED, &k);
		if (!ret)
			sim_store(c, &l->word, Q_BUSY, res_tag(c->id));
	}
	res_wait_end(c, l);
	return ret;
}

static int acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, res_tag(c->id));
	int ret = 0;

	if (val)
		ret = res_mine(c, val) ? -EDEADLK : slow(c, l, val);
	return ret;
}

static void release(struct sim_cpu *c, struct sim_lock *l)
{
	sim_store(c, &l->word, Q_LOCKED, 0);
}

const struct lock_ops queue_lock = {
	.name = "queue",
	.source = "docs/lock.md",
	.state = sizeof(struct clh_cpu),
	.init = init,
	.done = done,
	.acquire = acquire,
	.release = release,
	.finds_deadlocks = true,
};
