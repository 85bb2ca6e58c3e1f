// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Branches, loops, calls and callbacks, RCU pointers, values of map iterators. */
#include "gen.h"

void gen_helper(struct gen *g, struct block *b, struct scope at)
{
	(void)g;
	if (!at.locks)
		add_stmt(b, OP_HELPER);
}

static struct stmt *gen_around(struct gen *g, struct block *b, struct scope at, enum op op)
{
	struct stmt *s = add_stmt(b, op);

	if (!s)
		return NULL;
	at.depth++;
	s->turns = (int)gen_random(g, 3);
	s->a = gen_block(g, at);
	if (op == OP_IF)
		s->b = gen_block(g, at);
	return s;
}

void gen_iter(struct gen *g, struct block *b, struct scope at)
{
	struct stmt *s;

	if (!gen_has(g, F_ITER) || (at.plain && gen_random(g, 6)))
		return;
	at.iter = true;
	s = gen_around(g, b, at, OP_ITER);
	if (s && !gen_random(g, at.irq_off ? 2 : 10))
		s->turns = MANY_TURNS;
}

void gen_if(struct gen *g, struct block *b, struct scope at)
{
	gen_around(g, b, at, OP_IF);
}

void gen_repeat(struct gen *g, struct block *b, struct scope at)
{
	gen_around(g, b, at, OP_REPEAT);
}

void gen_loop(struct gen *g, struct block *b, struct scope at)
{
	struct stmt *s;

	if (at.locks || !gen_has(g, F_LOOP))
		return;
	at.inner = true;
	s = gen_around(g, b, at, OP_LOOP);
	if (s && !s->turns) /* verifiers stumble over a callback that is never called, and warn */
		s->turns = 1;
	if (s && at.irq_off && !gen_random(g, 4))
		s->turns = MANY_TURNS;
}

void gen_foreach(struct gen *g, struct block *b, struct scope at)
{
	int value = (int)gen_random(g, NR_VALUES);
	struct stmt *s;

	if (at.locks || !gen_has(g, F_FOREACH))
		return;
	at.inner = true;
	at.values |= 1u << value;
	s = gen_around(g, b, at, OP_FOREACH);
	if (s)
		s->value = value;
}

/* The locks that a subprogram takes must be free, and it may call helpers. */
void gen_call(struct gen *g, struct block *b, struct scope at)
{
	struct stmt *s;

	if (at.inner || at.locks || at.flags || at.owned || at.rcu)
		return;
	s = add_stmt(b, OP_CALL);
	if (s)
		s->sub = (int)gen_random(g, NR_SUBS);
}

void gen_sleep(struct gen *g, struct block *b, struct scope at)
{
	if (g->p->env == ENV_SYSCALL && gen_has(g, F_SLEEP) && !at.locks &&
	    ((!at.flags && !at.rcu) || !gen_random(g, 6)))
		add_stmt(b, OP_SLEEP);
}

void gen_rcu(struct gen *g, struct block *b, struct scope at)
{
	if (at.locks || !gen_has(g, F_RCU) || (at.rcu && gen_random(g, 6)) || b->n + 4 > MAX_STMTS)
		return;
	add_stmt(b, OP_RCU_LOCK);
	at.rcu = true;
	at.kptr = false;
	at.depth++;
	gen_stmts(g, b, at, 1 + (int)gen_random(g, 2));
	block_append(b, OP_RCU_UNLOCK);
}

static bool can_use_kptr(const struct gen *g)
{
	return g->p->env != ENV_TC && gen_has(g, F_KPTR);
}

/* Load a kptr, and use it if it is protected and no lock forbids the call. */
void gen_kptr(struct gen *g, struct block *b, struct scope at)
{
	bool protected = at.rcu || g->p->env != ENV_SYSCALL;
	struct stmt *s = can_use_kptr(g) ? add_stmt(b, OP_KPTR) : NULL;

	if (!s)
		return;
	at.depth++;
	s->b = gen_block(g, at);
	s->a = gen_block(g, at);
	if (s->a != &g->p->blocks[0] && !at.locks && protected && s->a->n &&
	    s->a->stmts[s->a->n - 1].op != OP_EXIT)
		block_append(s->a, OP_KPTR_USE);
}

/* Load a kptr under a lock and use it after the release, when it may be unprotected. */
void gen_stale_kptr(struct gen *g, struct block *b, struct scope at)
{
	struct stmt *s;
	struct held held;
	int lock = (int)gen_random(g, 2) ? LOCK_GLOBAL : LOCK_PLAIN;

	if (at.locks || !can_use_kptr(g) || (lock == LOCK_PLAIN && !gen_has(g, F_PLAIN)) ||
	    (g->p->env == ENV_SYSCALL && !at.rcu && gen_random(g, 3)) ||
	    !take_lock(g, b, at, lock, &held))
		return;
	s = block_append(held.inside, OP_KPTR);
	s->a = new_block(g->p);
	s->b = new_block(g->p);
	if (!s->a || !s->b) {
		s->a = s->b = &g->p->blocks[0];
		return;
	}
	gen_release(s->a, &held);
	gen_release(s->b, &held);
	block_append(s->a, OP_KPTR_USE);
}

/* In map iterators; only a value that consists of numbers may be written to. */
void gen_value(struct gen *g, struct block *b, struct scope at)
{
	bool number = g->p->env == ENV_ITER_NUMBER;

	(void)at;
	if (is_map_iter(g->p->env))
		add_stmt(b, number || !gen_random(g, 4) ? OP_VALUE_WRITE : OP_VALUE_READ);
}
