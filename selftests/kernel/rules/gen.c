// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include "gen.h"

/* xorshift64*: the same programs everywhere for the same seed */
uint32_t gen_random(struct gen *g, uint32_t below)
{
	g->state ^= g->state >> 12;
	g->state ^= g->state << 25;
	g->state ^= g->state >> 27;
	return (uint32_t)((g->state * 0x2545f4914f6cdd1dULL) >> 33) % below;
}

/* A number below @n that is not in the mask, or -1. */
int pick_free(struct gen *g, unsigned int mask, int n)
{
	int i = (int)gen_random(g, (uint32_t)n), k;

	for (k = 0; k < n; k++, i = (i + 1) % n)
		if (!(mask & 1u << i))
			return i;
	return -1;
}

struct stmt *block_append(struct block *b, enum op op)
{
	if (b->n == MAX_STMTS)
		b->n--;
	return add_stmt(b, op);
}

/* The first NR_FLAT contain no block. */
static const struct {
	gen_fn *gen;
	int weight;
} menu[] = {
	{ gen_helper, 2 },     { gen_touch, 1 },       { gen_sleep, 1 },     { gen_value, 2 },
	{ gen_iter, 2 },       { gen_call, 2 },	       { gen_irq, 2 },	     { gen_if, 3 },
	{ gen_repeat, 1 },     { gen_loop, 2 },	       { gen_foreach, 2 },   { gen_lookup, 2 },
	{ gen_lock, 7 },       { gen_plain, 3 },       { gen_hand_over, 2 }, { gen_make, 4 },
	{ gen_take, 3 },       { gen_peek, 4 },	       { gen_rcu, 2 },	     { gen_kptr, 2 },
	{ gen_stale_kptr, 1 }, { gen_irq_overlap, 1 },
};
#define NR_FLAT 4

static void gen_stmt(struct gen *g, struct block *b, struct scope at)
{
	int i, sum = 0, n = at.depth > 4 ? NR_FLAT : (int)(sizeof(menu) / sizeof(*menu));

	for (i = 0; i < n; i++)
		sum += menu[i].weight;
	sum = (int)gen_random(g, (uint32_t)sum);
	for (i = 0; sum >= menu[i].weight; i++)
		sum -= menu[i].weight;
	menu[i].gen(g, b, at);
}

void gen_stmts(struct gen *g, struct block *b, struct scope at, int n)
{
	while (n--)
		gen_stmt(g, b, at);
}

struct block *gen_block(struct gen *g, struct scope at)
{
	struct block *b = new_block(g->p);
	int n = 1 + (int)gen_random(g, at.depth ? 3 : 6);

	if (!b)
		return &g->p->blocks[0]; /* stays empty */
	b->inner = at.inner;
	gen_stmts(g, b, at, n);
	if (at.depth && !at.inner && (!at.iter || !gen_random(g, 10)) && !at.locks && !at.flags &&
	    !at.owned && !at.rcu && !gen_random(g, 4))
		add_stmt(b, OP_EXIT);
	return b;
}

static enum env pick_env(struct gen *g)
{
	static const enum env envs[] = { ENV_TC,       ENV_TC,	       ENV_TC,	       ENV_TC,
					 ENV_SYSCALL,  ENV_SYSCALL,    ENV_SYSCALL,    ENV_FENTRY,
					 ENV_ITER_RES, ENV_ITER_PLAIN, ENV_ITER_NUMBER };
	enum env env = envs[gen_random(g, sizeof(envs) / sizeof(*envs))];

	if ((is_map_iter(env) && !gen_has(g, F_MAP_ITER)) ||
	    (env == ENV_FENTRY && !gen_has(g, F_NESTED)))
		return ENV_TC;
	return env;
}

void gen_program(struct program *p, uint64_t seed, const struct answers *answers)
{
	struct gen g = { .p = p, .answers = answers, .state = seed * 0x9e3779b97f4a7c15ULL + 1 };
	int i, n;

	gen_random(&g, 1);
	p->nr_blocks = 0;
	new_block(p);
	p->env = pick_env(&g);
	for (i = 0; i < NR_SUBS; i++)
		p->subs[i] =
			gen_block(&g, (struct scope){ .depth = 2, .sub = true, .inner = true });
	p->main = gen_block(&g, (struct scope){ 0 });
	n = gen_random(&g, 5) > 1 ? 1 + (int)gen_random(&g, 3) : 0;
	for (i = 0; i < n; i++)
		mutate_program(&g);
}
