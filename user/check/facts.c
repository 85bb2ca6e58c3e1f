// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>

#include "check/facts.h"
#include "check/made.h"

#define RISE_STEPS 4 /* comparisons in a row: a < b, b < c, ... */

bool facts_have(const struct state *st, const struct fact *fact)
{
	for (int i = 0; i < st->nr_facts; i++)
		if (st->facts[i].op == fact->op && st->facts[i].a == fact->a &&
		    st->facts[i].b == fact->b)
			return true;
	return false;
}

static void fact_drop(struct state *st, int i)
{
	st->nr_facts--;
	memmove(&st->facts[i], &st->facts[i + 1], (st->nr_facts - i) * sizeof(st->facts[0]));
}

void facts_add(struct state *st, __u8 op, sym_t a, sym_t b)
{
	struct fact fact = { op, a, b };

	if (facts_have(st, &fact))
		return;
	if (st->nr_facts == STATE_FACTS) {
		fact_drop(st, 0);
		if (st->bounds)
			st->bounds->conditions++;
	}
	st->facts[st->nr_facts++] = fact;
}

void facts_meet(struct state *st, const struct state *with)
{
	for (int i = st->nr_facts - 1; i >= 0; i--)
		if (!facts_have(with, &st->facts[i]))
			fact_drop(st, i);
}

void facts_forget_made(const struct syms *syms, struct state *st, const struct made *made)
{
	for (int i = st->nr_facts - 1; i >= 0; i--)
		if (made_depends(made, syms, st->facts[i].a) ||
		    made_depends(made, syms, st->facts[i].b))
			fact_drop(st, i);
}

void facts_replace(struct syms *syms, struct state *st, sym_t from, sym_t to)
{
	for (int i = st->nr_facts - 1; i >= 0; i--) {
		struct fact *f = &st->facts[i];

		f->a = sym_replace(syms, f->a, from, to);
		f->b = sym_replace(syms, f->b, from, to);
		if (!f->a || !f->b)
			fact_drop(st, i);
	}
}

bool fact_compare(__u8 op, __u64 a, __u64 b)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSLT:
		return (__s64)a < (__s64)b;
	case BPF_JSLE:
		return (__s64)a <= (__s64)b;
	case BPF_JSGT:
		return (__s64)a > (__s64)b;
	case BPF_JSGE:
		return (__s64)a >= (__s64)b;
	case BPF_JSET:
		return a & b;
	}
	return false;
}

static bool is_or_equal(__u8 op)
{
	return op == BPF_JLE || op == BPF_JSLE;
}

/* Possible relations of two numbers. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, ANYHOW = 7 };

/* The relation as unsigned and as signed numbers. */
struct relation {
	unsigned int plain, sign;
};

static struct relation relation_of(__u8 op)
{
	switch (op) {
	case BPF_JEQ:
		return (struct relation){ EQUAL, EQUAL };
	case BPF_JNE:
		return (struct relation){ LESS | GREATER, LESS | GREATER };
	case BPF_JLT:
		return (struct relation){ LESS, LESS | GREATER };
	case BPF_JLE:
		return (struct relation){ LESS | EQUAL, ANYHOW };
	case BPF_JSLT:
		return (struct relation){ LESS | GREATER, LESS };
	case BPF_JSLE:
		return (struct relation){ ANYHOW, LESS | EQUAL };
	}
	return (struct relation){ ANYHOW, ANYHOW };
}

static unsigned int relation_turned(unsigned int ways)
{
	return (ways & EQUAL) | (ways & LESS ? GREATER : 0) | (ways & GREATER ? LESS : 0);
}

/* The relation that all facts about the two symbols leave possible. */
static struct relation known_of(const struct state *st, sym_t a, sym_t b)
{
	struct relation all = { ANYHOW, ANYHOW };

	for (int i = 0; i < st->nr_facts; i++) {
		const struct fact *f = &st->facts[i];
		struct relation r = relation_of(f->op);

		if (f->a == b && f->b == a) {
			r.plain = relation_turned(r.plain);
			r.sign = relation_turned(r.sign);
		} else if (f->a != a || f->b != b) {
			continue;
		}
		all.plain &= r.plain;
		all.sign &= r.sign;
	}
	if (!(all.plain & EQUAL) || !(all.sign & EQUAL)) {
		all.plain &= ~EQUAL;
		all.sign &= ~EQUAL;
	}
	if (all.plain == EQUAL || all.sign == EQUAL)
		all = (struct relation){ EQUAL, EQUAL };
	return all;
}

static enum fact_answer relation_decide(unsigned int known, unsigned int asked)
{
	return !(known & ~asked) ? FACT_TRUE : !(known & asked) ? FACT_FALSE : FACT_UNKNOWN;
}

enum fact_answer facts_decide(const struct syms *syms, const struct state *st, __u8 op, sym_t a,
			      sym_t b)
{
	struct relation known, asked = relation_of(op);
	__u64 x, y;

	if (sym_is_number(syms, a, &x) && sym_is_number(syms, b, &y))
		return fact_compare(op, x, y) ? FACT_TRUE : FACT_FALSE;
	if (a == b)
		return op == BPF_JEQ || is_or_equal(op) ? FACT_TRUE : FACT_FALSE;
	known = known_of(st, a, b);
	return op == BPF_JSLT || op == BPF_JSLE ? relation_decide(known.sign, asked.sign) :
						  relation_decide(known.plain, asked.plain);
}

/* Follow facts from a to b, at most @depth in a row. */
static bool facts_rise_within(const struct state *st, __u8 less, sym_t a, sym_t b,
			      unsigned int depth, bool *strict)
{
	__u8 or_equal = less == BPF_JLT ? BPF_JLE : BPF_JSLE;
	bool rises = false;

	for (int i = 0; i < st->nr_facts && depth && !(rises && *strict); i++) {
		const struct fact *f = &st->facts[i];
		bool rest = f->op == less;

		if (f->a != a || (f->op != less && f->op != or_equal))
			continue;
		if (f->b == b || facts_rise_within(st, less, f->b, b, depth - 1, &rest)) {
			rises = true;
			*strict |= rest;
		}
	}
	return rises;
}

bool facts_rise(const struct state *st, __u8 less, sym_t a, sym_t b, bool *differ)
{
	struct relation known = known_of(st, a, b);

	*differ |= !(known.plain & EQUAL);
	return facts_rise_within(st, less, a, b, RISE_STEPS, differ);
}

/* Is a symbol at least one number, and at most a smaller one? */
static bool bounds_contradict(const struct syms *syms, const struct state *st)
{
	for (int i = 0; i < st->nr_facts; i++)
		for (int j = 0; j < st->nr_facts; j++) {
			const struct fact *low = &st->facts[i], *high = &st->facts[j];
			__u64 x, y;

			if (low->b != high->a || !sym_is_number(syms, low->a, &x) ||
			    !sym_is_number(syms, high->b, &y))
				continue;
			if ((low->op == BPF_JLT || low->op == BPF_JLE) &&
			    (high->op == BPF_JLT || high->op == BPF_JLE) && x > y)
				return true;
		}
	return false;
}

bool facts_contradict(const struct syms *syms, const struct state *st)
{
	__u64 x, y;

	for (int i = 0; i < st->nr_facts; i++) {
		const struct fact *f = &st->facts[i];

		if (sym_is_number(syms, f->a, &x) && sym_is_number(syms, f->b, &y) &&
		    !fact_compare(f->op, x, y))
			return true;
		if (f->a == f->b && f->op != BPF_JEQ && !is_or_equal(f->op))
			return true;
	}
	return bounds_contradict(syms, st);
}
