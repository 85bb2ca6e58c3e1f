// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks of both kinds, regions with interrupts off, and calls that are forbidden in them. */
#include <string.h>
#include "sim_state.h"

static const struct section *last_section(const struct state *s)
{
	return s->n ? &s->sections[s->n - 1] : NULL;
}

static void enter_section(struct sim *sim, struct state *s, enum kind kind, int id)
{
	if (s->n == MAX_SECTIONS) {
		sim_broke(sim, R_NO_VERDICT);
		return;
	}
	s->sections[s->n].kind = (unsigned char)kind;
	s->sections[s->n].id = (unsigned char)id;
	s->n++;
}

/* Remove a section, maybe not the last: later sections move down, and so do their flags' owners. */
static void leave_section(struct sim *sim, struct state *s, int at)
{
	enum kind kind = s->sections[at].kind;
	int flag;

	for (flag = 0; flag < NR_FLAGS; flag++)
		if (s->owner[flag] > at)
			s->owner[flag]--;
	memmove(&s->sections[at], &s->sections[at + 1],
		(size_t)(s->n - at - 1) * sizeof(*s->sections));
	s->n--;
	memset(&s->sections[s->n], 0, sizeof(*s->sections));
	if (kind != IRQ_OFF)
		lose_borrowed(s);
	leave_rcu_protection(sim, s, kind);
}

static void take_flag(struct sim *sim, struct state *s, int flag)
{
	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	/* A flag in use is overwritten: its section can never be left. */
	s->owner[flag] = s->n;
}

static void give_flag(struct sim *sim, struct state *s, int flag)
{
	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	if (!s->owner[flag])
		sim_broke(sim, R_FLAG_EMPTY);
	else if (s->owner[flag] != s->n)
		sim_broke(sim, R_FLAG_OTHER);
	s->owner[flag] = 0;
}

/* The identity of the value or object that contains the lock; 0 if there is no such lock. */
static int lock_id(const struct state *s, int lock, bool plain)
{
	const struct object *o;

	if (lock >= LOCK_ITEM) {
		o = &s->object[lock - LOCK_ITEM];
		return o->holding == OWNED && o->leaf == plain ? o->id : 0;
	}
	if (is_plain_lock(lock) != plain)
		return 0;
	if (lock >= LOCK_VALUE && lock < LOCK_PLAIN)
		return s->value[lock - LOCK_VALUE];
	return 1 + lock;
}

/* For every lock operation: does the lock exist, is it of the right kind, is access allowed? */
static int check_lock(struct sim *sim, const struct state *s, int lock, bool plain)
{
	int id = lock_id(s, lock, plain);

	if (s->less && lock >= LOCK_VALUE && !(lock >= LOCK_PLAIN && lock < LOCK_ITEM))
		sim_broke(sim, R_LESS_VARIABLE);
	if (!id)
		sim_broke(sim, R_LOCK_KIND);
	if (s->less && !sim->answers->probe[P_LESS_LOCK])
		sim_broke(sim, R_LESS_LOCK);
	if (id == ID_CALLBACK)
		sim->verdict.risky = true;
	return id;
}

void sim_lock(struct sim *sim, struct state *s, const struct stmt *st)
{
	bool plain = st->op == OP_SPIN_LOCK;
	int id = check_lock(sim, s, st->lock, plain);

	if (plain)
		sim_call(sim, s);
	else if (holds_kind(s, PLAIN_LOCK) && !sim->answers->probe[P_RES_UNDER_PLAIN])
		sim_broke(sim, R_RES_UNDER_PLAIN);
	if (holds_id(s, id))
		sim_broke(sim, R_HELD);
	enter_section(sim, s, plain ? PLAIN_LOCK : st->op == OP_LOCK_IRQ ? IRQ_LOCK : RES_LOCK, id);
	if (st->op == OP_LOCK_IRQ)
		take_flag(sim, s, st->flag);
	sim->verdict.plain |= plain;
	if (st->lock >= LOCK_ITEM)
		sim->verdict.features |= 1u << F_OBJECT_LOCK;
}

static void unlock_last(struct sim *sim, struct state *s, const struct stmt *st)
{
	enum kind kind = st->op == OP_SPIN_UNLOCK ? PLAIN_LOCK :
			 st->op == OP_UNLOCK_IRQ  ? IRQ_LOCK :
						    RES_LOCK;
	int id = check_lock(sim, s, st->lock, kind == PLAIN_LOCK);

	if ((!s->n || last_section(s)->kind != kind || last_section(s)->id != id) &&
	    sim_broke(sim, R_NOT_LAST))
		return;
	if (kind == IRQ_LOCK)
		give_flag(sim, s, st->flag);
	if (s->n)
		leave_section(sim, s, s->n - 1);
}

static void unlock_ooo(struct sim *sim, struct state *s, const struct stmt *st)
{
	int i, id = check_lock(sim, s, st->lock, false);

	for (i = 0; i < s->n; i++)
		if (s->sections[i].kind != IRQ_OFF && s->sections[i].id == id)
			break;
	if (i == s->n) {
		sim_broke(sim, R_OOO_NOT_HELD);
		return;
	}
	if (s->sections[i].kind == IRQ_LOCK)
		sim_broke(sim, R_OOO_IRQ);
	leave_section(sim, s, i);
}

void sim_lock_op(struct sim *sim, struct state *s, const struct stmt *st)
{
	if (st->op == OP_UNLOCK_OOO)
		unlock_ooo(sim, s, st);
	else
		unlock_last(sim, s, st);
}

void sim_call(struct sim *sim, const struct state *s)
{
	if (holds_lock(s))
		sim_broke(sim, R_CALL);
}

static void restore_flag(struct sim *sim, struct state *s, const struct stmt *st)
{
	give_flag(sim, s, st->flag);
	if (s->n)
		leave_section(sim, s, s->n - 1);
}

void sim_irq_op(struct sim *sim, struct state *s, const struct stmt *st)
{
	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	if (st->op == OP_SMASH) {
		s->owner[st->flag] = 0;
		return;
	}
	sim_call(sim, s);
	if (st->op == OP_RESTORE) {
		restore_flag(sim, s, st);
		return;
	}
	enter_section(sim, s, IRQ_OFF, 0);
	take_flag(sim, s, st->flag);
}

/* Some kernels allow look-ups in arrays under resilient locks. */
void sim_lookup(struct sim *sim, struct state *s, const struct stmt *st)
{
	bool allowed = sim->answers->probe[P_LOOKUP_UNDER_RES] && !holds_kind(s, PLAIN_LOCK);

	if (s->less)
		sim_broke(sim, R_LESS_VARIABLE);
	if (!allowed)
		sim_call(sim, s);
	s->value[st->value] = fresh_id(s);
}

void sim_iter(struct sim *sim, const struct state *s)
{
	static const enum probe probes[] = {
		[RES_LOCK] = P_ITER_UNDER_RES,
		[IRQ_LOCK] = P_ITER_UNDER_IRQ_LOCK,
		[PLAIN_LOCK] = P_ITER_UNDER_PLAIN,
		[IRQ_OFF] = P_ITER_IRQ_OFF,
	};
	int i;

	for (i = 0; i < s->n; i++)
		if (!sim->answers->probe[probes[s->sections[i].kind]])
			sim_broke(sim, R_ITER);
}

#define MAX_ROUNDS 23 /* log2 of the turns that one loop may make */

unsigned char sim_rounds(struct sim *sim, const struct state *s, int turns)
{
	unsigned char log = 0;

	if (turns >= MANY_TURNS)
		sim->verdict.risky = true;
	if (!holds_kind(s, IRQ_OFF) && !holds_kind(s, IRQ_LOCK))
		return 0;
	while (1 << log < turns)
		log++;
	if (s->rounds + log > MAX_ROUNDS && !sim->answers->probe[P_LONG_IRQ_OFF])
		sim_broke(sim, R_ROUNDS);
	return log;
}
