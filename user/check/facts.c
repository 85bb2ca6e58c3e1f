// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>

#include "check/facts.h"

bool facts_have(const struct state *st, const struct fact *fact)
{
	for (int i = 0; i < st->nr_facts; i++)
		if (st->facts[i].op == fact->op && st->facts[i].a == fact->a &&
		    st->facts[i].b == fact->b)
			return true;
	return false;
}

static void drop(struct state *st, int i)
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
		drop(st, 0);
		if (st->bounds)
			st->bounds->conditions++;
	}
	st->facts[st->nr_facts++] = fact;
}

void facts_meet(struct state *st, const struct state *with)
{
	for (int i = st->nr_facts - 1; i >= 0; i--)
		if (!facts_have(with, &st->facts[i]))
			drop(st, i);
}

void facts_replace(struct syms *syms, struct state *st, sym_t from, sym_t to)
{
	for (int i = st->nr_facts - 1; i >= 0; i--) {
		struct fact *f = &st->facts[i];

		f->a = sym_replace(syms, f->a, from, to);
		f->b = sym_replace(syms, f->b, from, to);
		if (!f->a || !f->b)
			drop(st, i);
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

/* What a fact about the same two says; swapped: about b and a. */
static enum fact_answer implied(__u8 known, __u8 op, bool swapped)
{
	bool less = known == BPF_JLT || known == BPF_JSLT;

	if (known == op && !swapped)
		return FACT_TRUE;
	if (known == op && (op == BPF_JEQ || op == BPF_JNE))
		return FACT_TRUE;
	if (op == BPF_JEQ && (less || known == BPF_JNE))
		return FACT_FALSE;
	if (op == BPF_JNE && less)
		return FACT_TRUE;
	if ((op == BPF_JNE && known == BPF_JEQ))
		return FACT_FALSE;
	if ((known == BPF_JLT && op == BPF_JLE) || (known == BPF_JSLT && op == BPF_JSLE))
		return swapped ? FACT_FALSE : FACT_TRUE;
	if (swapped &&
	    ((known == BPF_JLE && op == BPF_JLT) || (known == BPF_JLT && op == BPF_JLT) ||
	     (known == BPF_JSLE && op == BPF_JSLT) || (known == BPF_JSLT && op == BPF_JSLT)))
		return FACT_FALSE;
	return FACT_UNKNOWN;
}

enum fact_answer facts_decide(const struct syms *syms, const struct state *st, __u8 op, sym_t a,
			      sym_t b)
{
	__u64 x, y;

	if (sym_is_number(syms, a, &x) && sym_is_number(syms, b, &y))
		return fact_compare(op, x, y) ? FACT_TRUE : FACT_FALSE;
	if (a == b)
		return op == BPF_JEQ || is_or_equal(op) ? FACT_TRUE : FACT_FALSE;
	for (int i = 0; i < st->nr_facts; i++) {
		const struct fact *f = &st->facts[i];
		enum fact_answer answer = FACT_UNKNOWN;

		if (f->a == a && f->b == b)
			answer = implied(f->op, op, false);
		else if (f->a == b && f->b == a)
			answer = implied(f->op, op, true);
		if (answer)
			return answer;
	}
	return FACT_UNKNOWN;
}

/* A symbol that is below one number or above another. */
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
