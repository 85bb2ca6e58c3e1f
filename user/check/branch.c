// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>

#include "check/branch.h"
#include "check/facts.h"
#include "check/live.h"

#define ERROR_MAX 4095

struct condition {
	__u8 op;
	bool low32;
	struct val a, b;
};

static struct condition condition_at(const struct stepper *s, const struct state *st)
{
	const struct bpf_insn *insn = &s->prog->insns[st->pc];
	struct condition c = { .op = BPF_OP(insn->code),
			       .low32 = BPF_CLASS(insn->code) == BPF_JMP32,
			       .a = *state_reg(st, insn->dst_reg) };

	if (BPF_SRC(insn->code) == BPF_X)
		c.b = *state_reg(st, insn->src_reg);
	else
		c.b = (struct val){ .kind = VAL_NUMBER, .number = (__u64)(__s64)insn->imm };
	return c;
}

static bool is_signed(__u8 op)
{
	return op == BPF_JSLT || op == BPF_JSLE || op == BPF_JSGT || op == BPF_JSGE;
}

static bool condition_compare(const struct condition *c, __u64 a, __u64 b)
{
	if (c->low32 && is_signed(c->op))
		return fact_compare(c->op, (__s64)(__s32)a, (__s64)(__s32)b);
	if (c->low32)
		return fact_compare(c->op, (__u32)a, (__u32)b);
	return fact_compare(c->op, a, b);
}

/*
 * Decide a comparison of a lock function's error: an int from -4095 to -1, extended by its sign or
 * by zeros.
 */
static enum fact_answer decide_error(const struct condition *c)
{
	const __u64 ends[] = { -1ULL, (__u64)-ERROR_MAX, (__u32)-1, (__u32)-ERROR_MAX };
	__s64 n = c->low32 ? (__s64)(__s32)c->b.number : (__s64)c->b.number;
	bool first = condition_compare(c, ends[0], c->b.number);

	if (c->op == BPF_JSET)
		return FACT_UNKNOWN;
	if ((c->op == BPF_JEQ || c->op == BPF_JNE) &&
	    ((n < 0 && n >= -ERROR_MAX) || (n == (__u32)n && n >= (__u32)-ERROR_MAX)))
		return FACT_UNKNOWN;
	for (int i = 1; i < 4; i++)
		if (condition_compare(c, ends[i], c->b.number) != first)
			return FACT_UNKNOWN;
	return first ? FACT_TRUE : FACT_FALSE;
}

static bool is_zero(const struct val *v)
{
	return v->kind == VAL_NUMBER && !v->number;
}

static bool is_null_test(const struct condition *c)
{
	return c->a.kind >= VAL_STACK && is_zero(&c->b) && !c->low32 &&
	       (c->op == BPF_JEQ || c->op == BPF_JNE);
}

static bool take_null(struct state *st, const struct condition *c, bool taken)
{
	bool null = (c->op == BPF_JEQ) == taken;

	if (!c->a.maybe_null)
		return !null;
	state_resolve_null(st, c->a.origin, null);
	return true;
}

static sym_t condition_side(const struct stepper *s, const struct condition *c, const struct val *v)
{
	sym_t sym = step_sym(s, v);

	return c->low32 && v->kind < VAL_STACK ? sym_low32(s->syms, sym) : c->low32 ? 0 : sym;
}

/* Reduce the condition to equal, not equal, less, and less or equal. */
static bool condition_assume(const struct stepper *s, struct state *st, const struct condition *c,
			     bool taken)
{
	static const __u8 opposite[16] = {
		[BPF_JEQ >> 4] = BPF_JNE,   [BPF_JNE >> 4] = BPF_JEQ,	[BPF_JLT >> 4] = BPF_JGE,
		[BPF_JLE >> 4] = BPF_JGT,   [BPF_JGT >> 4] = BPF_JLE,	[BPF_JGE >> 4] = BPF_JLT,
		[BPF_JSLT >> 4] = BPF_JSGE, [BPF_JSLE >> 4] = BPF_JSGT, [BPF_JSGT >> 4] = BPF_JSLE,
		[BPF_JSGE >> 4] = BPF_JSLT,
	};
	sym_t a = condition_side(s, c, &c->a), b = condition_side(s, c, &c->b);
	__u8 op = taken ? c->op : opposite[c->op >> 4];

	/* 32-bit symbols are unsigned: a signed comparison of them is not kept. */
	if (!op || op == BPF_JSET || (c->low32 && is_signed(op)))
		return true;
	switch (op) {
	case BPF_JGT:
		return state_assume(s->syms, st, BPF_JLT, b, a);
	case BPF_JGE:
		return state_assume(s->syms, st, BPF_JLE, b, a);
	case BPF_JSGT:
		return state_assume(s->syms, st, BPF_JSLT, b, a);
	case BPF_JSGE:
		return state_assume(s->syms, st, BPF_JSLE, b, a);
	}
	return state_assume(s->syms, st, op, a, b);
}

static bool condition_possible(const struct stepper *s, struct state *st, const struct condition *c,
			       bool taken)
{
	enum fact_answer answer = FACT_UNKNOWN;

	if (is_null_test(c))
		return take_null(st, c, taken);
	if (c->a.kind == VAL_NUMBER && c->b.kind == VAL_NUMBER)
		return condition_compare(c, c->a.number, c->b.number) == taken;
	if (c->a.kind == VAL_ERROR && c->b.kind == VAL_NUMBER)
		answer = decide_error(c);
	if (answer)
		return (answer == FACT_TRUE) == taken;
	return condition_assume(s, st, c, taken);
}

bool branch_take(const struct stepper *s, struct state *st, bool taken)
{
	struct condition c = condition_at(s, st);

	if (!condition_possible(s, st, &c, taken))
		return false;
	st->pc = taken ? live_target(s->prog, st->pc) : st->pc + 1;
	return true;
}
