// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Statements that run a block several times: loops, iterators, callbacks, less(). */
#include <stdlib.h>
#include "sim_state.h"

/* Each turn of a for_each starts with a value from the callback's argument. */
static void enter_turn(struct sim *sim, struct state *s, const struct stmt *st)
{
	bool apart = !sim->answers->probe[P_ONE_CALLBACK_VALUE];

	if (st->op == OP_FOREACH)
		s->value[st->value] = apart ? fresh_id(s) : ID_CALLBACK;
}

static void run_turn(struct sim *sim, const struct stmt *st, const struct state *from,
		     struct states *to)
{
	struct state s = *from;

	enter_turn(sim, &s, st);
	run_block(sim, st->a, &s, to);
}

/* States reached from @now by one more turn that are not in @all yet; they are added to @all. */
static struct states *next_turn(struct sim *sim, const struct stmt *st, struct states *now,
				struct states *all)
{
	struct states *out = new_states(sim), *fresh = new_states(sim);
	int i, before;

	for (i = 0; out && fresh && i < now->n && !sim->verdict.broken; i++)
		run_turn(sim, st, &now->all[i], out);
	for (i = 0; out && fresh && i < out->n && !sim->verdict.broken; i++) {
		if (st->op == OP_ITER)
			sim_iter(sim, &out->all[i]);
		before = all->n;
		sim_reach(sim, all, &out->all[i]);
		if (all->n > before)
			sim_reach(sim, fresh, &out->all[i]);
	}
	free(out);
	return fresh;
}

/* Up to @turns turns (-1: any number), as long as a turn reaches new states. */
static void run_turns(struct sim *sim, const struct stmt *st, const struct state *from,
		      struct states *all, int turns)
{
	struct states *now = new_states(sim), *next;

	sim_reach(sim, all, from);
	if (now)
		sim_reach(sim, now, from);
	while (now && now->n && turns-- && !sim->verdict.broken) {
		next = next_turn(sim, st, now, all);
		free(now);
		now = next;
	}
	free(now);
}

/* Exactly st->turns turns. */
void run_repeat(struct sim *sim, const struct stmt *st, const struct state *from, struct states *to)
{
	struct states *now = new_states(sim), *next;
	int turn, i;

	if (now)
		sim_reach(sim, now, from);
	for (turn = 0; now && turn < st->turns && !sim->verdict.broken; turn++) {
		next = new_states(sim);
		for (i = 0; next && i < now->n && !sim->verdict.broken; i++)
			run_block(sim, st->a, &now->all[i], next);
		free(now);
		now = next;
	}
	for (i = 0; now && i < now->n; i++)
		sim_reach(sim, to, &now->all[i]);
	free(now);
}

void run_iter(struct sim *sim, const struct stmt *st, const struct state *from, struct states *to)
{
	struct states *all = new_states(sim);
	struct state s = *from;
	int i;

	sim_iter(sim, from);
	s.iters++;
	s.rounds += sim_rounds(sim, from, st->turns);
	if (all)
		run_turns(sim, st, &s, all, -1);
	for (i = 0; all && i < all->n && !sim->verdict.broken; i++) {
		all->all[i].iters--;
		all->all[i].rounds = from->rounds;
		sim_reach(sim, to, &all->all[i]);
	}
	free(all);
}

void run_callback(struct sim *sim, const struct stmt *st, const struct state *from,
		  struct states *to)
{
	struct states *all = new_states(sim);
	bool loop = st->op == OP_LOOP;
	struct state s = *from;
	int i;

	if (from->less)
		sim_broke(sim, R_LESS_VARIABLE);
	sim_call(sim, from);
	s.rounds += sim_rounds(sim, from, loop ? st->turns : NR_ELEMENTS);
	if (all)
		run_turns(sim, st, &s, all, loop ? st->turns : -1);
	for (i = 0; all && i < all->n && !sim->verdict.broken; i++) {
		all->all[i].rounds = from->rounds;
		sim_reach(sim, to, &all->all[i]);
	}
	free(all);
}

/* less() may change which locks are held, on kernels that allow it. */
void run_add(struct sim *sim, const struct stmt *st, const struct state *from, struct states *to)
{
	struct states *all = new_states(sim);
	struct state s = *from;
	int i;

	s.less = (unsigned char)(1 + st->root);
	if (all)
		run_turns(sim, st, &s, all, -1);
	for (i = 0; all && i < all->n && !sim->verdict.broken; i++) {
		s = all->all[i];
		s.less = from->less;
		sim_object_op(sim, &s, st);
		sim_reach(sim, to, &s);
	}
	free(all);
}
