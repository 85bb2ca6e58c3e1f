// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Small changes to a program, anywhere in it. */
#include <string.h>
#include "gen.h"

static void swap_stmts(struct gen *g, struct block *b)
{
	struct stmt *x = &b->stmts[gen_random(g, (uint32_t)b->n)],
		    *y = &b->stmts[gen_random(g, (uint32_t)b->n)], t = *x;

	*x = *y;
	*y = t;
}

static void delete_stmt(struct gen *g, struct block *b)
{
	int at = (int)gen_random(g, (uint32_t)b->n);

	memmove(&b->stmts[at], &b->stmts[at + 1], (size_t)(b->n - 1 - at) * sizeof(*b->stmts));
	b->n--;
}

/* Whether a program of this kind can have the statement at all. */
static bool is_possible(const struct gen *g, enum op op, bool inner)
{
	enum env env = g->p->env;

	if (ops[op].blocks || op == OP_CALL || !gen_has(g, ops[op].feature))
		return false;
	if (op == OP_EXIT)
		return !inner;
	if (op == OP_SLEEP)
		return env == ENV_SYSCALL;
	if (op == OP_KPTR_USE)
		return env != ENV_TC;
	return ops[op].feature != F_MAP_ITER || is_map_iter(env);
}

static void set_operands(struct gen *g, struct stmt *s)
{
	s->lock = (int)gen_random(g, NR_LOCKS);
	s->flag = (int)gen_random(g, NR_FLAGS);
	s->obj = (int)gen_random(g, NR_OBJECTS);
	s->root = (int)gen_random(g, NR_ROOTS);
	s->value = (int)gen_random(g, NR_VALUES);
}

static void insert_stmt(struct gen *g, struct block *b)
{
	int at = (int)gen_random(g, (uint32_t)b->n + 1);
	struct stmt s = { .op = (enum op)gen_random(g, NR_OPS) };

	while (!is_possible(g, s.op, b->inner))
		s.op = (enum op)gen_random(g, NR_OPS);
	set_operands(g, &s);
	if (!add_stmt(b, s.op))
		return;
	memmove(&b->stmts[at + 1], &b->stmts[at], (size_t)(b->n - 1 - at) * sizeof(s));
	b->stmts[at] = s;
}

/* A similar operation. */
static enum op related_op(struct gen *g, enum op op)
{
	static const enum op unlocks[] = { OP_UNLOCK, OP_UNLOCK_IRQ, OP_SPIN_UNLOCK,
					   OP_UNLOCK_OOO };

	switch (op) {
	case OP_LOCK:
		return OP_LOCK_IRQ;
	case OP_LOCK_IRQ:
		return OP_LOCK;
	case OP_UNLOCK:
	case OP_UNLOCK_OOO:
	case OP_UNLOCK_IRQ:
	case OP_SPIN_UNLOCK:
		return unlocks[gen_random(g, gen_has(g, F_OOO) ? 4 : 3)];
	case OP_SAVE:
		return OP_RESTORE;
	case OP_RESTORE:
		return OP_SAVE;
	case OP_REMOVE:
		return OP_FIRST;
	case OP_FIRST:
		return OP_REMOVE;
	default:
		return op;
	}
}

/* Mostly a lock of the same kind: the verifier finds a lock of the other kind at once. */
static int other_lock(struct gen *g, int lock)
{
	int other = (int)gen_random(g, NR_LOCKS);

	return is_plain_lock(other) == is_plain_lock(lock) || !gen_random(g, 4) ? other : lock ^ 1;
}

static void change_stmt(struct gen *g, struct stmt *s)
{
	struct stmt new = *s;

	switch (gen_random(g, 3)) {
	case 0:
		s->lock = other_lock(g, s->lock);
		break;
	case 1:
		set_operands(g, &new);
		new.lock = s->lock;
		*s = new;
		break;
	default:
		s->op = related_op(g, s->op);
	}
}

void mutate_program(struct gen *g)
{
	int i = (int)gen_random(g, (uint32_t)g->p->nr_blocks);
	struct block *b = &g->p->blocks[i];

	if (i == 0)
		return;
	switch (b->n ? gen_random(g, 4) : 1) {
	case 0:
		swap_stmts(g, b);
		break;
	case 1:
		insert_stmt(g, b);
		break;
	case 2:
		delete_stmt(g, b);
		break;
	default:
		change_stmt(g, &b->stmts[gen_random(g, (uint32_t)b->n)]);
	}
}
