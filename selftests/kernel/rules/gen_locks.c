// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Critical sections: locks of both kinds, interrupts off, and the map values to lock. */
#include "gen.h"

bool take_lock(struct gen *g, struct block *b, struct scope at, int lock, struct held *held)
{
	bool plain = is_plain_lock(lock);
	int flag = !plain && gen_random(g, 2) ? pick_free(g, at.flags, NR_FLAGS) : -1;
	struct block *inside = new_block(g->p), *failed = plain ? NULL : new_block(g->p);
	enum op op = plain ? OP_SPIN_LOCK : flag < 0 ? OP_LOCK : OP_LOCK_IRQ;
	struct stmt *s = inside && (plain || failed) ? add_stmt(b, op) : NULL;

	if (!s)
		return false;
	at.locks |= 1u << lock;
	at.flags |= flag < 0 ? 0 : 1u << flag;
	at.plain |= plain;
	at.irq_off |= flag >= 0;
	at.depth++;
	inside->inner = at.inner;
	if (failed)
		failed->inner = at.inner;
	s->lock = lock;
	s->flag = flag < 0 ? 0 : flag;
	s->a = inside;
	s->b = failed;
	*held = (struct held){ op, lock, s->flag, inside, failed, at };
	return true;
}

void gen_release(struct block *b, const struct held *held)
{
	struct stmt *s = block_append(b, held->op == OP_SPIN_LOCK ? OP_SPIN_UNLOCK :
					 held->op == OP_LOCK_IRQ  ? OP_UNLOCK_IRQ :
								    OP_UNLOCK);

	s->lock = held->lock;
	s->flag = held->flag;
}

/* A resilient lock that exists and is not held, or -1. */
static int pick_lock(struct gen *g, struct scope at)
{
	unsigned int there = 3u << LOCK_GLOBAL | at.values << LOCK_VALUE;

	if (gen_has(g, F_OBJECT_LOCK))
		there |= (at.owned & ((1u << NR_ITEMS) - 1)) << LOCK_ITEM;
	return pick_free(g, ~there | at.locks, NR_LOCKS);
}

/* Under a plain lock a resilient one may be refused. */
void gen_lock(struct gen *g, struct block *b, struct scope at)
{
	int lock = at.plain && gen_random(g, 6) ? -1 : pick_lock(g, at);
	struct held held;

	if (!gen_random(g, 40)) /* there may be no lock */
		lock = LOCK_VALUE + (int)gen_random(g, NR_VALUES);
	if (lock < 0 || !take_lock(g, b, at, lock, &held))
		return;
	at.depth++;
	gen_stmts(g, held.failed, at, (int)gen_random(g, 3));
	gen_stmts(g, held.inside, held.at, 1 + (int)gen_random(g, 3));
	gen_release(held.inside, &held);
	if (gen_has(g, F_OOO) && held.op == OP_LOCK && !gen_random(g, 4))
		held.inside->stmts[held.inside->n - 1].op = OP_UNLOCK_OOO;
}

void gen_plain(struct gen *g, struct block *b, struct scope at)
{
	unsigned int there = 3u << LOCK_PLAIN;
	struct held held;

	if (at.locks || !gen_has(g, F_PLAIN))
		return;
	if (gen_has(g, F_OBJECT_LOCK))
		there |= (at.owned >> NR_ITEMS) << LOCK_LEAF;
	if (!take_lock(g, b, at, pick_free(g, ~there, NR_LOCKS), &held))
		return;
	gen_stmts(g, held.inside, held.at, 1 + (int)gen_random(g, 3));
	gen_release(held.inside, &held);
}

/* Two locks hand over hand: the first is released while the second is held. */
void gen_hand_over(struct gen *g, struct block *b, struct scope at)
{
	struct held first, second;
	int lock = pick_lock(g, at);

	if (!gen_has(g, F_OOO) || at.plain || lock < 0 || !take_lock(g, b, at, lock, &first))
		return;
	gen_stmts(g, first.inside, first.at, (int)gen_random(g, 3));
	lock = pick_lock(g, first.at);
	if (first.op == OP_LOCK_IRQ || lock < 0 ||
	    !take_lock(g, first.inside, first.at, lock, &second)) {
		gen_release(first.inside, &first);
		return;
	}
	gen_release(second.failed, &first);
	gen_stmts(g, second.inside, second.at, (int)gen_random(g, 3));
	block_append(second.inside, OP_UNLOCK_OOO)->lock = first.lock;
	second.at.locks &= ~(1u << first.lock);
	gen_stmts(g, second.inside, second.at, (int)gen_random(g, 3));
	gen_release(second.inside, &second);
}

void gen_irq(struct gen *g, struct block *b, struct scope at)
{
	int flag = at.locks || !gen_has(g, F_IRQ) ? -1 : pick_free(g, at.flags, NR_FLAGS);
	struct stmt *s;

	if (flag < 0 || b->n + 4 > MAX_STMTS || !(s = add_stmt(b, OP_SAVE)))
		return;
	s->flag = flag;
	at.flags |= 1u << flag;
	at.irq_off = true;
	at.depth++;
	gen_stmts(g, b, at, (int)gen_random(g, 3));
	block_append(b, OP_RESTORE)->flag = flag;
}

/* Two regions that overlap instead of one within the other. */
void gen_irq_overlap(struct gen *g, struct block *b, struct scope at)
{
	int flag = pick_free(g, at.flags, NR_FLAGS), i;
	static const enum op pattern[] = { OP_SAVE, OP_SAVE, OP_RESTORE, OP_RESTORE };

	if (at.locks || at.flags || !gen_has(g, F_IRQ) || b->n + 4 > MAX_STMTS || gen_random(g, 4))
		return;
	for (i = 0; i < 4; i++)
		add_stmt(b, pattern[i])->flag = i & 1 ? (flag + 1) % NR_FLAGS : flag;
}

/* Under a lock only some kernels allow a look-up. */
void gen_lookup(struct gen *g, struct block *b, struct scope at)
{
	int value = pick_free(g, at.locks >> LOCK_VALUE, NR_VALUES);
	struct stmt *s;

	if (value < 0 || !gen_has(g, F_VALUE) || (at.locks && gen_random(g, 3)))
		return;
	s = add_stmt(b, OP_LOOKUP);
	if (!s)
		return;
	s->value = value;
	at.depth++;
	s->b = gen_block(g, at);
	at.values |= 1u << value;
	s->a = gen_block(g, at);
}
