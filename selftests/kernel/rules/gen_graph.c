// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Objects, and the lists and trees they are in. */
#include "gen.h"

static int pick_object(struct gen *g, struct scope at, bool leaf)
{
	unsigned int items = (1u << NR_ITEMS) - 1;

	return pick_free(g, at.owned | (leaf ? items : ~items), NR_OBJECTS);
}

/* Whether the next operation is on a tree. */
static bool pick_leaf(struct gen *g)
{
	return gen_has(g, F_TREE) && gen_random(g, 2);
}

/* A root whose lock can be taken. */
static int pick_root(struct gen *g, struct scope at)
{
	unsigned int there = 3u << LOCK_GLOBAL | at.values << LOCK_VALUE;

	if (!at.locks && gen_has(g, F_PLAIN))
		there |= 3u << LOCK_PLAIN;
	return pick_free(g, ~there | at.locks, NR_ROOTS);
}

static struct stmt *object_stmt(struct block *b, enum op op, int object, int root)
{
	struct stmt *s = block_append(b, op);

	s->obj = object;
	s->root = root;
	return s;
}

/* Most comparisons do nothing else; some contain a statement that may be refused. */
static struct block *gen_less(struct gen *g, int root)
{
	struct block *b = new_block(g->p);
	struct stmt *s;

	if (!b)
		return &g->p->blocks[0];
	b->inner = true;
	switch (gen_random(g, 12)) {
	case 0:
		add_stmt(b, OP_LESS_ADD)->root =
			gen_random(g, 3) ? root : (int)gen_random(g, LOCK_VALUE);
		break;
	case 1:
		gen_lock(g, b, (struct scope){ .depth = 4, .inner = true });
		break;
	case 2:
		if (gen_has(g, F_IRQ) && !gen_random(g, 4)) /* less() cannot reach the flag */
			add_stmt(b, OP_SMASH);
		break;
	case 3:
		s = add_stmt(b, OP_IF);
		s->a = s->b = &g->p->blocks[0];
		break;
	default:
		break;
	}
	return b;
}

static void link_object(struct gen *g, struct block *b, int object, int root)
{
	struct stmt *s;

	if (is_leaf(object) == !gen_random(g, 25)) { /* rarely the wrong one of the two */
		object_stmt(b, OP_PUSH, object, root);
		return;
	}
	s = object_stmt(b, OP_ADD, object, root);
	s->a = gen_less(g, root);
}

/* Link the object into a list or a tree; drop it if the lock cannot be taken. */
static void gen_link(struct gen *g, struct block *b, struct scope at, int object)
{
	int root = pick_root(g, at);
	bool tree = is_leaf(object);
	struct held held;

	if (root < 0 || !gen_has(g, tree ? F_TREE : F_LIST) || !take_lock(g, b, at, root, &held)) {
		block_append(b, OP_DROP)->obj = object;
		return;
	}
	if (held.failed)
		block_append(held.failed, OP_DROP)->obj = object;
	link_object(g, held.inside, object, root);
	held.at.owned &= ~(1u << object);
	if (!gen_random(g, 3))
		block_append(held.inside, OP_TOUCH)->obj = object;
	gen_stmts(g, held.inside, held.at, (int)gen_random(g, 2));
	gen_release(held.inside, &held);
}

/* Whether to drop an object: if this kernel refuses that, only now and then. */
static bool can_drop(struct gen *g)
{
	return g->p->env != ENV_FENTRY || g->answers->probe[P_NESTED_DROP] || !gen_random(g, 8);
}

void gen_make(struct gen *g, struct block *b, struct scope at)
{
	int object = pick_object(g, at, pick_leaf(g));
	struct block *got, *none;
	struct stmt *s;

	if (object < 0 || at.locks || !gen_has(g, F_OBJECT) || !can_drop(g))
		return;
	got = new_block(g->p);
	none = new_block(g->p);
	s = none ? add_stmt(b, OP_NEW) : NULL;
	if (!s)
		return;
	got->inner = none->inner = at.inner;
	s->obj = object;
	s->a = got;
	s->b = none;
	at.depth++;
	gen_stmts(g, none, at, (int)gen_random(g, 2));
	at.owned |= 1u << object;
	gen_stmts(g, got, at, (int)gen_random(g, 3));
	if (gen_random(g, 3))
		gen_link(g, got, at, object);
	else
		block_append(got, OP_DROP)->obj = object;
}

/* Two blocks for a statement that may get an object: one with it, one without. */
static bool two_ways(struct gen *g, struct stmt *s, struct scope at)
{
	s->a = new_block(g->p);
	s->b = new_block(g->p);
	if (!s->a || !s->b) {
		s->a = s->b = &g->p->blocks[0];
		return false;
	}
	s->a->inner = s->b->inner = at.inner;
	return true;
}

/* Take an object out of a list or a tree, release the lock, and drop the object. */
static void gen_take_out(struct gen *g, struct held *held, struct scope at, int object)
{
	struct block *b = held->inside;
	struct stmt *s;

	if (is_leaf(object) && gen_random(g, 12)) { /* or remove what was not found */
		s = object_stmt(b, OP_FIRST, object, held->lock);
		if (!two_ways(g, s, at))
			return;
		gen_release(s->b, held);
		b = s->a;
	}
	s = object_stmt(b, is_leaf(object) ? OP_REMOVE : OP_POP, object, held->lock);
	if (!two_ways(g, s, at))
		return;
	gen_release(s->b, held);
	gen_release(s->a, held);
	at.owned |= 1u << object;
	at.depth += 2;
	gen_stmts(g, s->a, at, (int)gen_random(g, 2));
	block_append(s->a, OP_DROP)->obj = object;
}

void gen_take(struct gen *g, struct block *b, struct scope at)
{
	bool leaf = pick_leaf(g);
	int object = pick_object(g, at, leaf), root = pick_root(g, at);
	struct held held;

	if (object < 0 || root < 0 || at.locks || !can_drop(g) ||
	    !gen_has(g, leaf ? F_TREE : F_LIST) || !take_lock(g, b, at, root, &held))
		return;
	gen_take_out(g, &held, at, object);
}

/* With the root's lock held: pop from the list and push again, or look at the tree. */
void gen_peek(struct gen *g, struct block *b, struct scope at)
{
	bool leaf = pick_leaf(g);
	int object = pick_object(g, at, leaf), root = pick_free(g, ~at.locks, NR_ROOTS);
	struct stmt *s;

	if (!gen_random(g, 60)) /* there may be no root */
		root = LOCK_VALUE + (int)gen_random(g, NR_VALUES);
	if (object < 0 || root < 0 || !gen_has(g, leaf ? F_TREE : F_LIST))
		return;
	s = add_stmt(b, leaf ? OP_FIRST : OP_POP);
	if (!s)
		return;
	s->obj = object;
	s->root = root;
	if (!two_ways(g, s, at))
		return;
	if (!leaf)
		link_object(g, s->a, object, root);
	block_append(s->a, OP_TOUCH)->obj = object;
}

void gen_touch(struct gen *g, struct block *b, struct scope at)
{
	int object = pick_free(g, ~at.owned, NR_OBJECTS);
	struct stmt *s = object < 0 ? NULL : add_stmt(b, OP_TOUCH);

	if (s)
		s->obj = object;
}
