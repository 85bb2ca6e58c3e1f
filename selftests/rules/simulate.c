// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rules, written down without any of a verifier's cleverness: every path is taken, the critical
 * sections are a stack, out of which a lock may be taken, and a flag's variable says which section
 * it belongs to.
 */
#include <stdlib.h>
#include <string.h>
#include "rules.h"

#define MAX_STATES 512

enum kind { PLAIN_LOCK, IRQ_LOCK, IRQ_OFF };

struct section {
	unsigned char kind, lock;
};

struct state {
	unsigned char n;
	unsigned char owner[NR_FLAGS]; /* 1 + index of the section whose flags it holds, or 0 */
	struct section sections[MAX_SECTIONS];
};

/* The states in which a point of the program can be reached. */
struct states {
	int n;
	struct state all[MAX_STATES];
};

static const struct program *program;
static const char *broken;

const char no_verdict[] = "no verdict: too many states, or no memory";

static void rule(const char *which)
{
	if (!broken)
		broken = which;
}

static void reach(struct states *set, const struct state *s)
{
	int i;

	for (i = 0; i < set->n; i++)
		if (!memcmp(&set->all[i], s, sizeof(*s)))
			return;
	if (set->n == MAX_STATES)
		rule(no_verdict);
	else
		set->all[set->n++] = *s;
}

static const struct section *last(const struct state *s)
{
	return s->n ? &s->sections[s->n - 1] : NULL;
}

static bool holds(const struct state *s, int lock)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->sections[i].kind != IRQ_OFF && s->sections[i].lock == lock)
			return true;
	return false;
}

static bool holds_any(const struct state *s)
{
	return s->n && last(s)->kind != IRQ_OFF;
}

static void enter(struct state *s, enum kind kind, int lock)
{
	s->sections[s->n].kind = (unsigned char)kind;
	s->sections[s->n].lock = (unsigned char)lock;
	s->n++;
}

static void leave(struct state *s)
{
	s->n--;
	memset(&s->sections[s->n], 0, sizeof(*s->sections));
}

static void take_flag(struct state *s, int flag)
{
	if (s->owner[flag])
		rule("the flag is in use");
	s->owner[flag] = s->n;
}

static void give_flag(struct state *s, int flag)
{
	if (!s->owner[flag])
		rule("the flag holds nothing");
	else if (s->owner[flag] != s->n)
		rule("the flag is that of another section");
	s->owner[flag] = 0;
}

static void do_lock(struct state *s, const struct stmt *st)
{
	if (holds(s, st->lock))
		rule("the lock is held");
	enter(s, st->op == OP_LOCK_IRQ ? IRQ_LOCK : PLAIN_LOCK, st->lock);
	if (st->op == OP_LOCK_IRQ)
		take_flag(s, st->flag);
}

static void do_unlock(struct state *s, const struct stmt *st)
{
	enum kind kind = st->op == OP_UNLOCK_IRQ ? IRQ_LOCK : PLAIN_LOCK;

	if (!s->n || last(s)->kind != kind || last(s)->lock != st->lock) {
		rule("not the lock that was taken last, or not in this way");
		return;
	}
	if (kind == IRQ_LOCK)
		give_flag(s, st->flag);
	leave(s);
}

/* Out of the middle: what was entered later moves down, and its flags know that. */
static void remove_section(struct state *s, int at)
{
	int flag;

	for (flag = 0; flag < NR_FLAGS; flag++)
		if (s->owner[flag] > at)
			s->owner[flag]--;
	memmove(&s->sections[at], &s->sections[at + 1],
		(size_t)(s->n - at - 1) * sizeof(*s->sections));
	leave(s);
}

static void do_unlock_ooo(struct state *s, const struct stmt *st)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->sections[i].kind != IRQ_OFF && s->sections[i].lock == st->lock)
			break;
	if (i == s->n)
		rule("the lock is not held");
	else if (s->sections[i].kind == IRQ_LOCK)
		rule("the lock's flags are not restored");
	else
		remove_section(s, i);
}

static void do_restore(struct state *s, const struct stmt *st)
{
	if (!s->n || last(s)->kind != IRQ_OFF) {
		rule("no interrupts to be restored");
		return;
	}
	give_flag(s, st->flag);
	leave(s);
}

static void do_simple(struct state *s, const struct stmt *st)
{
	if ((st->op == OP_SAVE || st->op == OP_RESTORE || st->op == OP_HELPER) && holds_any(s))
		rule("a call under a lock");
	switch (st->op) {
	case OP_UNLOCK:
	case OP_UNLOCK_IRQ:
		do_unlock(s, st);
		break;
	case OP_UNLOCK_OOO:
		do_unlock_ooo(s, st);
		break;
	case OP_SAVE:
		enter(s, IRQ_OFF, 0);
		take_flag(s, st->flag);
		break;
	case OP_RESTORE:
		do_restore(s, st);
		break;
	case OP_SMASH:
		s->owner[st->flag] = 0;
		break;
	case OP_EXIT:
		if (s->n)
			rule("the program ends in a critical section");
		break;
	default:
		break;
	}
}

static void run_block(const struct block *b, const struct state *from, struct states *to);

static struct states *new_states(void)
{
	struct states *set = malloc(sizeof(*set));

	if (set)
		set->n = 0;
	else
		rule(no_verdict);
	return set;
}

static void run_loop(const struct stmt *st, const struct state *from, struct states *to)
{
	struct states *now = new_states(), *next;
	int turn, i;

	if (now)
		reach(now, from);
	for (turn = 0; turn < st->turns && !broken; turn++) {
		next = new_states();
		for (i = 0; i < now->n && !broken; i++)
			run_block(st->a, &now->all[i], next);
		free(now);
		now = next;
	}
	for (i = 0; now && i < now->n; i++)
		reach(to, &now->all[i]);
	free(now);
}

static void run_stmt(const struct stmt *st, const struct state *from, struct states *to)
{
	struct state s = *from;

	switch (st->op) {
	case OP_LOCK:
	case OP_LOCK_IRQ:
		run_block(st->b, from, to);
		do_lock(&s, st);
		if (!broken)
			run_block(st->a, &s, to);
		break;
	case OP_IF:
		run_block(st->a, from, to);
		run_block(st->b, from, to);
		break;
	case OP_LOOP:
		run_loop(st, from, to);
		break;
	case OP_CALL:
		run_block(program->subs[st->sub], from, to);
		break;
	default:
		do_simple(&s, st);
		if (st->op != OP_EXIT)
			reach(to, &s);
	}
}

static void run_from(const struct block *b, int at, const struct state *from, struct states *to)
{
	struct states *mid;
	int i;

	if (broken)
		return;
	if (at == b->n) {
		reach(to, from);
		return;
	}
	mid = new_states();
	if (!mid)
		return;
	run_stmt(&b->stmts[at], from, mid);
	for (i = 0; i < mid->n; i++)
		run_from(b, at + 1, &mid->all[i], to);
	free(mid);
}

static void run_block(const struct block *b, const struct state *from, struct states *to)
{
	run_from(b, 0, from, to);
}

const char *simulate(const struct program *p)
{
	static struct states end;
	struct state start;
	int i;

	memset(&start, 0, sizeof(start));
	program = p;
	broken = NULL;
	end.n = 0;
	run_block(p->main, &start, &end);
	for (i = 0; i < end.n; i++)
		if (end.all[i].n)
			rule("the program ends in a critical section");
	return broken;
}
