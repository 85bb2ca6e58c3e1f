// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parts of our lock's queue that all its forms share. */
#include "locks/clh.h"
#include "locks/qspin.h"

void clh_init(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus * CLH_NODES; i++) {
		struct clh_node *n = clh_node(l, i);

		line_init(&n->line, l->sim, i / CLH_NODES);
		n->state.line = n->halted.line = n->behind.line = &n->line;
	}
}

void clh_done(struct sim_lock *l)
{
	for (int i = 0; i < l->sim->ncpus * CLH_NODES; i++)
		line_free(&clh_node(l, i)->line);
}

struct clh_node *clh_node(struct sim_lock *l, int number)
{
	struct clh_cpu *n = lock_cpu_state(l, number / CLH_NODES);

	return &n->node[number % CLH_NODES];
}

/* A CPU that finds no free node spins until there is one. */
static int take_node(struct sim_cpu *c, struct sim_lock *l)
{
	for (int i = 0;; i = (i + 1) % CLH_NODES) {
		struct sim_var *n = &clh_node(l, c->id * CLH_NODES + i)->state;

		if (sim_read(c, n) == CLH_FREE && sim_cas(c, n, CLH_FREE, CLH_WAIT) == CLH_FREE)
			return c->id * CLH_NODES + i;
	}
}

static void free_node(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	sim_store(c, &clh_node(l, mine)->state, UINT64_MAX, CLH_FREE);
}

int clh_join(struct sim_cpu *c, struct sim_lock *l, int *mine)
{
	*mine = take_node(c, l);
	if (q_trylock(c, l, res_tag(c->id))) {
		free_node(c, l, *mine);
		return CLH_LOCKED;
	}
	return q_last(sim_swap(c, &l->word, Q_TAIL, q_tail(*mine)));
}

bool clh_take_alone(struct sim_cpu *c, struct sim_lock *l, int mine, uint64_t val)
{
	if ((val & Q_TAIL) != q_tail(mine) || sim_cas(c, &l->word, val, res_tag(c->id)) != val)
		return false;
	free_node(c, l, mine);
	return true;
}

enum clh_state clh_pass(struct sim_cpu *c, struct sim_lock *l, int mine)
{
	return sim_swap(c, &clh_node(l, mine)->state, UINT64_MAX, CLH_PASSED);
}
