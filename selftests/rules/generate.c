// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that keep the rules, most of them with a few changes made afterwards. */
#include <string.h>
#include "rules.h"

static uint64_t state;
static bool with_ooo;

/* xorshift64*: the same programs everywhere for the same seed */
static uint32_t rnd(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 33) % below;
}

/* Where a block is: what is held around it, and how deep it lies. */
struct scope {
	unsigned int locks, flags; /* in use, as masks */
	int depth;
	bool sub;
};

static struct block *new_block(struct program *p)
{
	if (p->nr_blocks == MAX_BLOCKS)
		return NULL;
	return memset(&p->blocks[p->nr_blocks++], 0, sizeof(struct block));
}

static struct stmt *add(struct block *b, enum op op)
{
	struct stmt *s;

	if (b->n == MAX_STMTS)
		return NULL;
	s = &b->stmts[b->n++];
	memset(s, 0, sizeof(*s));
	s->op = op;
	return s;
}

/* One that is not in the mask, or -1. */
static int pick_free(unsigned int mask, int n)
{
	int i = (int)rnd((uint32_t)n), k;

	for (k = 0; k < n; k++, i = (i + 1) % n)
		if (!(mask & 1u << i))
			return i;
	return -1;
}

static struct block *gen_block(struct program *p, struct scope at);
static void gen_stmt(struct program *p, struct block *b, struct scope at);

static void gen_lock(struct program *p, struct block *b, struct scope at)
{
	struct scope inside = at;
	struct stmt *s, *end;
	int lock = pick_free(at.locks, NR_LOCKS), flag = -1;

	if (rnd(2))
		flag = pick_free(at.flags, NR_FLAGS);
	if (lock < 0 || !(s = add(b, flag < 0 ? OP_LOCK : OP_LOCK_IRQ)))
		return;
	s->lock = lock;
	s->flag = flag < 0 ? 0 : flag;
	inside.locks |= 1u << lock;
	if (flag >= 0)
		inside.flags |= 1u << flag;
	inside.depth++;
	s->b = gen_block(p, (struct scope){ at.locks, at.flags, at.depth + 1, at.sub });
	s->a = gen_block(p, inside);
	if (!s->a || !s->b)
		return;
	if (s->a->n == MAX_STMTS)
		s->a->n--;
	end = add(s->a, flag < 0 ? OP_UNLOCK : OP_UNLOCK_IRQ);
	end->lock = lock;
	end->flag = s->flag;
	if (with_ooo && flag < 0 && !rnd(4))
		end->op = OP_UNLOCK_OOO;
}

/* Release what s took, at the end of the block whatever is lost of it. */
static void add_unlock(struct block *b, enum op op, const struct stmt *s)
{
	struct stmt *end;

	if (b->n == MAX_STMTS)
		b->n--;
	end = add(b, op);
	end->lock = s->lock;
	end->flag = s->flag;
}

/* Append what may stand in a block. */
static void gen_stmts(struct program *p, struct block *b, struct scope at, int n)
{
	while (n--)
		gen_stmt(p, b, at);
}

/* With the first lock held: b takes a second one and releases the first, or fails. */
static void gen_second(struct program *p, struct block *b, struct scope at,
		       const struct stmt *first, struct block *both, struct block *failed)
{
	int lock = pick_free(at.locks, NR_LOCKS);
	int flag = rnd(2) ? pick_free(at.flags, NR_FLAGS) : -1;
	struct stmt *s = add(b, flag < 0 ? OP_LOCK : OP_LOCK_IRQ);

	s->lock = lock;
	s->flag = flag < 0 ? 0 : flag;
	s->a = both;
	s->b = failed;
	at.depth++;
	gen_stmts(p, failed, at, (int)rnd(2));
	add_unlock(failed, rnd(2) ? OP_UNLOCK : OP_UNLOCK_OOO, first);
	at.locks |= 1u << lock;
	at.flags |= flag < 0 ? 0 : 1u << flag;
	gen_stmts(p, both, at, (int)rnd(3));
	add_unlock(both, OP_UNLOCK_OOO, first);
	at.locks &= ~(1u << first->lock);
	gen_stmts(p, both, at, (int)rnd(3));
	add_unlock(both, flag >= 0 ? OP_UNLOCK_IRQ : rnd(2) ? OP_UNLOCK : OP_UNLOCK_OOO, s);
}

/* Two locks hand over hand. */
static void gen_hand_over(struct program *p, struct block *b, struct scope at)
{
	struct block *one = new_block(p), *both = new_block(p), *failed = new_block(p);
	int lock = pick_free(at.locks, NR_LOCKS);
	struct stmt *s;

	if (!failed || lock < 0 || pick_free(at.locks | 1u << lock, NR_LOCKS) < 0)
		return;
	s = add(b, OP_LOCK);
	if (!s)
		return;
	s->lock = lock;
	s->a = one;
	at.depth++;
	s->b = gen_block(p, at);
	at.locks |= 1u << lock;
	gen_stmts(p, one, at, (int)rnd(3));
	if (one->n == MAX_STMTS)
		one->n--;
	gen_second(p, one, at, s, both, failed);
}

static void gen_irq(struct program *p, struct block *b, struct scope at)
{
	int flag = at.locks ? -1 : pick_free(at.flags, NR_FLAGS);
	struct stmt *s;
	int i, n;

	if (flag < 0 || b->n + 4 > MAX_STMTS || !(s = add(b, OP_SAVE)))
		return;
	s->flag = flag;
	at.flags |= 1u << flag;
	n = (int)rnd(3);
	for (i = 0; i < n; i++) {
		struct stmt *inner = add(b, rnd(2) ? OP_IF : OP_ITER);

		if (inner->op != OP_IF)
			continue;
		at.depth++;
		inner->a = gen_block(p, at);
		inner->b = gen_block(p, at);
	}
	s = add(b, OP_RESTORE);
	s->flag = flag;
}

static void gen_nested(struct program *p, struct block *b, struct scope at, enum op op)
{
	struct stmt *s = add(b, op);

	if (!s)
		return;
	at.depth++;
	s->turns = (int)rnd(3);
	s->a = gen_block(p, at);
	if (op == OP_IF)
		s->b = gen_block(p, at);
}

static void gen_call(struct block *b, struct scope at)
{
	struct stmt *s;

	/* What a subprogram locks must be free, and it may want to call helpers. */
	if (at.sub || at.locks || at.flags || !(s = add(b, OP_CALL)))
		return;
	s->sub = (int)rnd(NR_SUBS);
}

static void gen_stmt(struct program *p, struct block *b, struct scope at)
{
	switch (at.depth > 4 ? rnd(3) : rnd(12)) {
	case 0:
		if (!at.locks)
			add(b, OP_HELPER);
		break;
	case 1:
		add(b, OP_ITER);
		break;
	case 2:
		gen_call(b, at);
		break;
	case 3:
		gen_irq(p, b, at);
		break;
	case 4:
	case 5:
		gen_nested(p, b, at, OP_IF);
		break;
	case 6:
		gen_nested(p, b, at, OP_LOOP);
		break;
	default:
		if (with_ooo && !rnd(2))
			gen_hand_over(p, b, at);
		else
			gen_lock(p, b, at);
	}
}

static struct block *gen_block(struct program *p, struct scope at)
{
	struct block *b = new_block(p);
	int i, n = 1 + (int)rnd(at.depth ? 3 : 6);

	if (!b)
		return &p->blocks[0]; /* stays empty */
	for (i = 0; i < n; i++)
		gen_stmt(p, b, at);
	if (at.depth && !at.sub && !at.locks && !at.flags && !rnd(4))
		add(b, OP_EXIT);
	return b;
}

static void swap_stmts(struct block *b)
{
	struct stmt *x = &b->stmts[rnd((uint32_t)b->n)], *y = &b->stmts[rnd((uint32_t)b->n)],
		    t = *x;

	*x = *y;
	*y = t;
}

static void insert_stmt(struct block *b, bool sub)
{
	static const enum op simple[] = { OP_UNLOCK, OP_UNLOCK_IRQ, OP_SAVE, OP_RESTORE,
					  OP_SMASH,  OP_HELPER,	    OP_EXIT };
	int at = (int)rnd((uint32_t)b->n + 1);
	enum op op = simple[rnd(sizeof(simple) / sizeof(*simple) - sub)];
	struct stmt *s;

	if (with_ooo && op <= OP_UNLOCK_IRQ && rnd(2))
		op = OP_UNLOCK_OOO;
	s = add(b, op);

	if (!s)
		return;
	memmove(&b->stmts[at + 1], &b->stmts[at], (size_t)(b->n - 1 - at) * sizeof(*s));
	b->stmts[at] =
		(struct stmt){ .op = op, .lock = (int)rnd(NR_LOCKS), .flag = (int)rnd(NR_FLAGS) };
}

static void delete_stmt(struct block *b)
{
	int at = (int)rnd((uint32_t)b->n);

	memmove(&b->stmts[at], &b->stmts[at + 1], (size_t)(b->n - 1 - at) * sizeof(*b->stmts));
	b->n--;
}

static void change_stmt(struct stmt *s)
{
	switch (rnd(3)) {
	case 0:
		s->lock = (int)rnd(NR_LOCKS);
		break;
	case 1:
		s->flag = (int)rnd(NR_FLAGS);
		break;
	default:
		if (with_ooo && (s->op == OP_UNLOCK || s->op == OP_UNLOCK_IRQ) && rnd(2))
			s->op = OP_UNLOCK_OOO;
		else if (s->op == OP_LOCK || s->op == OP_LOCK_IRQ)
			s->op = s->op == OP_LOCK ? OP_LOCK_IRQ : OP_LOCK;
		else if (s->op == OP_UNLOCK || s->op == OP_UNLOCK_IRQ)
			s->op = s->op == OP_UNLOCK ? OP_UNLOCK_IRQ : OP_UNLOCK;
		else if (s->op == OP_UNLOCK_OOO)
			s->op = rnd(2) ? OP_UNLOCK : OP_UNLOCK_IRQ;
		else if (s->op == OP_SAVE || s->op == OP_RESTORE)
			s->op = s->op == OP_SAVE ? OP_RESTORE : OP_SAVE;
	}
}

static void mutate(struct program *p, int first_of_main)
{
	int i = (int)rnd((uint32_t)p->nr_blocks);
	struct block *b = &p->blocks[i];

	if (i == 0)
		return;
	if (!b->n) {
		insert_stmt(b, i < first_of_main);
		return;
	}
	switch (rnd(4)) {
	case 0:
		swap_stmts(b);
		break;
	case 1:
		insert_stmt(b, i < first_of_main);
		break;
	case 2:
		delete_stmt(b);
		break;
	default:
		change_stmt(&b->stmts[rnd((uint32_t)b->n)]);
	}
}

void generate(struct program *p, uint64_t seed, bool ooo)
{
	int i, n, first_of_main;

	with_ooo = ooo;
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	rnd(1);
	p->nr_blocks = 0;
	new_block(p);
	for (i = 0; i < NR_SUBS; i++)
		p->subs[i] = gen_block(p, (struct scope){ .depth = 2, .sub = true });
	first_of_main = p->nr_blocks;
	p->main = gen_block(p, (struct scope){ 0 });
	n = rnd(3) ? 1 + (int)rnd(4) : 0;
	for (i = 0; i < n; i++)
		mutate(p, first_of_main);
}

static void print_block(const struct block *b, int depth, FILE *to)
{
	static const char *const names[] = {
		"lock", "lock_irqsave", "unlock", "unlock_ooo", "unlock_irqrestore",
		"save", "restore",	"smash",  "helper",	"iter",
		"if",	"loop",		"call",	  "exit"
	};
	const struct stmt *s;

	for (s = b->stmts; s < b->stmts + b->n; s++) {
		fprintf(to, "#%*s %s", depth * 4, "", names[s->op]);
		if (s->op <= OP_UNLOCK_IRQ)
			fprintf(to, " lock%d", s->lock);
		if (s->op == OP_LOCK_IRQ || (s->op >= OP_UNLOCK_IRQ && s->op <= OP_SMASH))
			fprintf(to, " flag%d", s->flag);
		if (s->op == OP_LOOP)
			fprintf(to, " %d times", s->turns);
		if (s->op == OP_CALL)
			fprintf(to, " sub%d", s->sub);
		fprintf(to, "\n");
		if (s->a)
			print_block(s->a, depth + 1, to);
		if (s->b) {
			fprintf(to, "#%*s else\n", depth * 4, "");
			print_block(s->b, depth + 1, to);
		}
	}
}

void print_program(const struct program *p, FILE *to)
{
	int i;

	fprintf(to, "# main\n");
	print_block(p->main, 1, to);
	for (i = 0; i < NR_SUBS; i++) {
		fprintf(to, "# sub%d\n", i);
		print_block(p->subs[i], 1, to);
	}
}
