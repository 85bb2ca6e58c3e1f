// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All paths of a program, statement by statement. */
#include <stdlib.h>
#include <string.h>
#include "sim_state.h"

static void check_end(struct sim *sim, const struct state *s)
{
	int i;

	if (s->n)
		sim_broke(sim, R_END_SECTION);
	if (s->rcu)
		sim_broke(sim, R_END_RCU);
	if (s->iters)
		sim_broke(sim, R_END_ITER);
	for (i = 0; i < NR_OBJECTS; i++)
		if (s->object[i].holding == OWNED)
			sim_broke(sim, R_LEAK);
}

/* Statements that continue with a when they succeed and with b when they do not. */
static void run_choice(struct sim *sim, const struct stmt *st, const struct state *from,
		       struct states *to)
{
	struct state s = *from;

	run_block(sim, st->b, from, to);
	switch (st->op) {
	case OP_LOCK:
	case OP_LOCK_IRQ:
		sim_lock(sim, &s, st);
		break;
	case OP_LOOKUP:
		sim_lookup(sim, &s, st);
		break;
	case OP_KPTR:
		sim_kptr(sim, &s);
		break;
	case OP_IF:
		break;
	default:
		sim_acquire(sim, &s, st);
	}
	if (!sim->verdict.broken)
		run_block(sim, st->a, &s, to);
}

static void run_simple(struct sim *sim, const struct stmt *st, const struct state *from,
		       struct states *to)
{
	struct state s = *from;

	switch (st->op) {
	case OP_UNLOCK:
	case OP_UNLOCK_OOO:
	case OP_UNLOCK_IRQ:
	case OP_SPIN_UNLOCK:
		sim_lock_op(sim, &s, st);
		break;
	case OP_SAVE:
	case OP_RESTORE:
	case OP_SMASH:
		sim_irq_op(sim, &s, st);
		break;
	case OP_HELPER:
		sim_call(sim, &s);
		break;
	case OP_DROP:
	case OP_TOUCH:
	case OP_PUSH:
	case OP_LESS_ADD:
		sim_object_op(sim, &s, st);
		break;
	default:
		sim_rcu_op(sim, &s, st);
	}
	sim_reach(sim, to, &s);
	if (st->op == OP_VALUE_KEEP)
		sim_reach(sim, to, from); /* after the last element there is no value */
}

static void run_plain_lock(struct sim *sim, const struct stmt *st, const struct state *from,
			   struct states *to)
{
	struct state s = *from;

	sim_lock(sim, &s, st);
	if (!sim->verdict.broken)
		run_block(sim, st->a, &s, to);
}

static void run_stmt(struct sim *sim, const struct stmt *st, const struct state *from,
		     struct states *to)
{
	sim->verdict.features |= 1u << ops[st->op].feature;
	switch (st->op) {
	case OP_SPIN_LOCK:
		run_plain_lock(sim, st, from, to);
		break;
	case OP_REPEAT:
		run_repeat(sim, st, from, to);
		break;
	case OP_ITER:
		run_iter(sim, st, from, to);
		break;
	case OP_LOOP:
	case OP_FOREACH:
		run_callback(sim, st, from, to);
		break;
	case OP_ADD:
		run_add(sim, st, from, to);
		break;
	case OP_CALL:
		run_block(sim, sim->program->subs[st->sub], from, to);
		break;
	case OP_EXIT:
		check_end(sim, from);
		break;
	default:
		if (ops[st->op].blocks == 2)
			run_choice(sim, st, from, to);
		else
			run_simple(sim, st, from, to);
	}
}

static void run_from(struct sim *sim, const struct block *b, int at, const struct state *from,
		     struct states *to)
{
	struct states *mid;
	int i;

	if (sim->verdict.broken)
		return;
	if (at == b->n) {
		sim_reach(sim, to, from);
		return;
	}
	mid = new_states(sim);
	if (!mid)
		return;
	run_stmt(sim, &b->stmts[at], from, mid);
	for (i = 0; i < mid->n; i++)
		run_from(sim, b, at + 1, &mid->all[i], to);
	free(mid);
}

void run_block(struct sim *sim, const struct block *b, const struct state *from, struct states *to)
{
	run_from(sim, b, 0, from, to);
}

struct verdict sim_program(const struct program *p, const struct answers *answers,
			   enum rule ignored)
{
	struct sim sim = { .program = p, .answers = answers, .ignored = ignored };
	struct states *end = new_states(&sim);
	struct state start;
	int i;

	memset(&start, 0, sizeof(start));
	if (is_map_iter(p->env))
		sim.verdict.features |= 1u << F_MAP_ITER;
	if (p->env == ENV_FENTRY)
		sim.verdict.features |= 1u << F_NESTED;
	if (end)
		run_block(&sim, p->main, &start, end);
	for (i = 0; end && i < end->n; i++)
		check_end(&sim, &end->all[i]);
	free(end);
	return sim.verdict;
}
