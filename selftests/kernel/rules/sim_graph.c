// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Objects are owned until they are dropped or linked. An object that was linked or found under a
 * lock is borrowed while that lock is held.
 */
#include <string.h>
#include "sim_state.h"

void lose_borrowed(struct state *s)
{
	int i;

	for (i = 0; i < NR_OBJECTS; i++)
		if (s->object[i].holding == BORROWED)
			memset(&s->object[i], 0, sizeof(*s->object));
}

/* Store an object in a variable; an object that the variable owned before would leak. */
static void set_object(struct sim *sim, struct state *s, int var, enum holding holding, bool leaf)
{
	struct object *o = &s->object[var];

	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	if (o->holding == OWNED)
		sim_broke(sim, R_LEAK);
	o->holding = (unsigned char)holding;
	o->leaf = leaf;
	o->id = holding == OWNED ? fresh_id(s) : 0;
}

static int root_id(const struct state *s, int root)
{
	return root >= LOCK_VALUE && root < LOCK_PLAIN ? s->value[root - LOCK_VALUE] : 1 + root;
}

static void check_root(struct sim *sim, const struct state *s, int root)
{
	int id = root_id(s, root);

	if (s->less && root >= LOCK_VALUE && root < LOCK_PLAIN)
		sim_broke(sim, R_LESS_VARIABLE);
	if (!id)
		sim_broke(sim, R_ROOT);
	else if (!holds_id(s, id))
		sim_broke(sim, R_ROOT_LOCK);
	if (id == ID_CALLBACK)
		sim->verdict.risky = true;
}

/* Link an object into a list or a tree: it must be owned, and of the right type. */
static void link_object(struct sim *sim, struct state *s, const struct stmt *st, bool leaf)
{
	struct object *o = &s->object[st->obj];

	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	check_root(sim, s, st->root);
	if (o->holding != OWNED && sim_broke(sim, R_OWNED))
		return;
	if (o->leaf != leaf)
		sim_broke(sim, R_LINK);
	o->holding = BORROWED;
	o->id = 0;
}

static void less_add(struct sim *sim, const struct state *s, const struct stmt *st)
{
	enum probe probe = s->less == 1 + st->root ? P_LESS_ADD_SAME : P_LESS_ADD_OTHER;

	check_root(sim, s, st->root);
	if (!s->less || !sim->answers->probe[probe])
		sim_broke(sim, R_LESS_ADD);
	sim->verdict.risky = true;
}

static void drop_object(struct sim *sim, struct state *s, const struct stmt *st)
{
	struct object *o = &s->object[st->obj];

	sim_call(sim, s);
	if (sim->program->env == ENV_FENTRY && !sim->answers->probe[P_NESTED_DROP])
		sim_broke(sim, R_DROP);
	if (o->holding != OWNED)
		sim_broke(sim, R_OWNED);
	memset(o, 0, sizeof(*o));
}

void sim_object_op(struct sim *sim, struct state *s, const struct stmt *st)
{
	if (s->less && st->op != OP_LESS_ADD)
		sim_broke(sim, R_LESS_VARIABLE);
	switch (st->op) {
	case OP_DROP:
		drop_object(sim, s, st);
		break;
	case OP_TOUCH:
		if (!s->object[st->obj].holding)
			sim_broke(sim, R_USABLE);
		break;
	case OP_LESS_ADD:
		less_add(sim, s, st);
		break;
	default:
		link_object(sim, s, st, st->op == OP_ADD);
	}
}

/* Store an object in a variable: a new one, or one from a list or a tree. */
void sim_acquire(struct sim *sim, struct state *s, const struct stmt *st)
{
	struct object *o = &s->object[st->obj];

	if (st->op == OP_NEW) {
		sim_call(sim, s);
		set_object(sim, s, st->obj, OWNED, is_leaf(st->obj));
		return;
	}
	check_root(sim, s, st->root);
	if (st->op == OP_REMOVE && o->holding != BORROWED)
		sim_broke(sim, R_NOT_OWNED);
	if (st->op == OP_REMOVE && o->holding && !o->leaf)
		sim_broke(sim, R_LINK);
	set_object(sim, s, st->obj, st->op == OP_FIRST ? BORROWED : OWNED, st->op != OP_POP);
}
