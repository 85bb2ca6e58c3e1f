/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that keep the rules; most get a few random changes afterwards. */
#ifndef RQSPIN_RULES_GEN_H
#define RQSPIN_RULES_GEN_H

#include "probes.h"
#include "program.h"

/* Features that the kernel lacks are left out; else a seed gives the same programs everywhere. */
void gen_program(struct program *p, uint64_t seed, const struct answers *answers);

/* For gen_*.c and mutate.c. */
struct gen {
	struct program *p;
	const struct answers *answers;
	uint64_t state;
};

/* Context of a block: locks held around it, content of the variables, and nesting depth. */
struct scope {
	unsigned int locks, flags;  /* in use, as masks */
	unsigned int values, owned; /* variables that hold a map value, an object */
	bool sub, inner, iter, plain, irq_off, rcu, kptr;
	int depth;
};

uint32_t gen_random(struct gen *g, uint32_t below);
int pick_free(struct gen *g, unsigned int mask, int n);
static inline bool gen_has(const struct gen *g, enum feature f)
{
	return g->answers->feature[f];
}

struct block *gen_block(struct gen *g, struct scope at);
void gen_stmts(struct gen *g, struct block *b, struct scope at, int n);

/* Add a statement at the end of the block; if that is full, in place of its last one. */
struct stmt *block_append(struct block *b, enum op op);

/* A lock that is taken: append gen_release() to each way out of @inside. */
struct held {
	enum op op;
	int lock, flag;
	struct block *inside, *failed; /* failed is NULL for plain locks */
	struct scope at;	       /* context within the critical section */
};

bool take_lock(struct gen *g, struct block *b, struct scope at, int lock, struct held *held);
void gen_release(struct block *b, const struct held *held);

typedef void gen_fn(struct gen *g, struct block *b, struct scope at);

gen_fn gen_lock, gen_plain, gen_hand_over, gen_irq, gen_irq_overlap, gen_lookup; /* gen_locks.c */
gen_fn gen_make, gen_take, gen_peek, gen_touch;					 /* gen_graph.c */
gen_fn gen_helper, gen_iter, gen_if, gen_repeat, gen_loop, gen_foreach;		 /* gen_flow.c */
gen_fn gen_call, gen_sleep, gen_rcu, gen_kptr, gen_stale_kptr, gen_value;

void mutate_program(struct gen *g);

#endif
