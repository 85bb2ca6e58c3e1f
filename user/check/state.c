// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/facts.h"
#include "check/made.h"
#include "check/state.h"

#define JOIN_WHERE 1000 /* places in a frame: more than registers and words */

struct state *state_new(__u32 pc)
{
	struct state *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	st->pc = pc;
	st->clean = true;
	if (!state_push(st, 0, CALLBACK_NONE))
		return st;
	free(st);
	return NULL;
}

void state_free(struct state *st)
{
	if (!st)
		return;
	while (st->nr_frames)
		free(st->frames[--st->nr_frames]);
	free(st);
}

int state_push(struct state *st, __u32 ret, enum callback callback)
{
	struct frame *f;

	if (st->nr_frames == STATE_FRAMES)
		return -E2BIG;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->ret = ret;
	f->callback = callback;
	f->fresh = true;
	f->regs[BPF_REG_10] = (struct val){ .kind = VAL_STACK, .where = st->nr_frames };
	st->frames[st->nr_frames++] = f;
	return 0;
}

void state_pop(struct state *st)
{
	free(st->frames[--st->nr_frames]);
}

/* Words beyond nr_words need not be copied: frame_word() in step.c clears them before use. */
static struct frame *frame_copy(const struct frame *f, bool whole)
{
	size_t used = offsetof(struct frame, words) + f->nr_words * sizeof(struct val);
	struct frame *copy = malloc(whole ? sizeof(*copy) : used);

	if (copy)
		memcpy(copy, f, used);
	return copy;
}

size_t state_bytes(const struct state *st)
{
	size_t bytes = sizeof(*st);

	for (int i = 0; i < st->nr_frames; i++)
		bytes += offsetof(struct frame, words) +
			 st->frames[i]->nr_words * sizeof(struct val);
	return bytes;
}

static struct state *copy_state(const struct state *st, bool whole)
{
	struct state *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *st;
	copy->nr_frames = 0;
	for (int i = 0; i < st->nr_frames; i++) {
		copy->frames[i] = frame_copy(st->frames[i], whole);
		if (!copy->frames[i]) {
			state_free(copy);
			return NULL;
		}
		copy->nr_frames++;
	}
	return copy;
}

struct state *state_copy(const struct state *st)
{
	return copy_state(st, true);
}

struct state *state_keep(const struct state *st)
{
	return copy_state(st, false);
}

bool lockid_equal(const struct lockid *a, const struct lockid *b)
{
	return a->kind == b->kind && a->where == b->where && a->off == b->off && a->sym == b->sym;
}

bool lockid_same(const struct lockid *a, const struct lockid *b)
{
	return a->sym && (a->kind == VAL_ELEM || a->kind == VAL_OBJECT || a->kind == VAL_ARENA) &&
	       lockid_equal(a, b);
}

static bool held_equal(const struct held *a, const struct held *b)
{
	return lockid_equal(&a->lock, &b->lock) && a->pc == b->pc && a->irqsave == b->irqsave;
}

bool state_alike(const struct state *a, const struct state *b)
{
	if (a->nr_frames != b->nr_frames || a->nr_held != b->nr_held || a->irq_off != b->irq_off ||
	    a->failed_pc != b->failed_pc || a->quiet_pc != b->quiet_pc || a->clean != b->clean ||
	    a->took != b->took || a->inside != b->inside || a->resume_pc != b->resume_pc ||
	    a->resume_how != b->resume_how || !lockid_equal(&a->failed, &b->failed))
		return false;
	for (int i = 0; i < a->nr_frames; i++)
		if (a->frames[i]->ret != b->frames[i]->ret ||
		    a->frames[i]->callback != b->frames[i]->callback)
			return false;
	for (int i = 0; i < a->nr_held; i++)
		if (!held_equal(&a->held[i], &b->held[i]))
			return false;
	return true;
}

static __u32 hash_mix(__u32 h, __u32 n)
{
	return (h ^ n) * 0x9e3779b1U;
}

__u32 state_hash(const struct state *st)
{
	__u32 h = hash_mix(hash_mix(st->nr_frames, st->nr_held), st->failed_pc);

	h = hash_mix(h, (__u32)((uintptr_t)st->inside >> 4));
	for (int i = 0; i < st->nr_frames; i++)
		h = hash_mix(h, st->frames[i]->ret);
	for (int i = 0; i < st->nr_held; i++)
		h = hash_mix(hash_mix(h, st->held[i].lock.sym), st->held[i].pc);
	return hash_mix(h, st->quiet_pc) ^ h >> 15;
}

static bool val_equal(const struct val *a, const struct val *b)
{
	return a->kind == b->kind && a->maybe_null == b->maybe_null && a->where == b->where &&
	       a->off == b->off && a->number == b->number && a->sym == b->sym &&
	       (!a->maybe_null || a->origin == b->origin);
}

static bool val_close(const struct val *a, const struct val *b)
{
	return (a->kind < VAL_ANYWHERE && b->kind < VAL_ANYWHERE) || val_equal(a, b);
}

bool state_close(const struct state *a, const struct state *b)
{
	for (int i = 0; i < a->nr_frames; i++) {
		const struct frame *f = a->frames[i], *g = b->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			if (!val_close(&f->regs[r], &g->regs[r]))
				return false;
		for (int w = 0; w < f->nr_words && w < g->nr_words; w++)
			if (!val_close(&f->words[w], &g->words[w]))
				return false;
	}
	return true;
}

/* VAL_ANY covers no pointer: through one, the stack may be written, or a function called. */
static bool val_covers(const struct val *general, const struct val *v)
{
	if (general->kind == VAL_STACK && general->number == STACK_WHOLE)
		return v->kind == VAL_STACK && v->where == general->where;
	return general->kind == VAL_ANYWHERE ||
	       (general->kind == VAL_ANY && v->kind < VAL_ANYWHERE) || val_equal(general, v);
}

static bool frame_covers(const struct frame *general, const struct frame *f, __u32 live)
{
	for (int i = 0; i < STATE_REGS; i++)
		if ((live & 1U << i) && !val_covers(&general->regs[i], &f->regs[i]))
			return false;
	/* Words beyond those of f have not been written in it: nothing reads them. */
	for (int i = 0; i < general->nr_words && i < f->nr_words; i++)
		if (!val_covers(&general->words[i], &f->words[i]))
			return false;
	return true;
}

#define CALLER_REGS (1U << BPF_REG_6 | 1U << BPF_REG_7 | 1U << BPF_REG_8 | 1U << BPF_REG_9)

bool state_covers(const struct state *general, const struct state *st, __u32 live)
{
	for (int i = st->nr_frames - 1; i >= 0; i--) {
		if (!frame_covers(general->frames[i], st->frames[i], live))
			return false;
		live = CALLER_REGS;
	}
	for (int i = 0; i < general->nr_facts; i++)
		if (!facts_have(st, &general->facts[i]))
			return false;
	return true;
}

/* Does the pointer lead to values that are followed? */
static bool leads_somewhere(const struct val *v)
{
	return v->kind == VAL_STACK || v->kind == VAL_CONTEXT || v->kind == VAL_ANYWHERE;
}

/* A second join at the same place finds the symbol of the first one and keeps it. */
static void val_join(struct syms *syms, struct state *st, struct val *v, const struct val *with,
		     __u64 where)
{
	if (val_equal(v, with))
		return;
	if (v->kind == VAL_STACK && with->kind == VAL_STACK && v->where == with->where)
		*v = (struct val){ .kind = VAL_STACK, .where = v->where, .number = STACK_WHOLE };
	else if (leads_somewhere(v) || leads_somewhere(with))
		*v = (struct val){ .kind = VAL_ANYWHERE };
	else if (v->kind >= VAL_STACK || with->kind >= VAL_STACK || v->kind == VAL_HIGH ||
		 with->kind == VAL_HIGH || with->kind == VAL_ANY || !where)
		*v = (struct val){ .kind = VAL_ANY };
	else
		*v = state_fresh(syms, st, where, false);
}

void state_join(struct syms *syms, struct state *st, const struct state *with, __u32 where)
{
	__u64 place = where == JOIN_UNKNOWN ? 0 : ((__u64)where + 1) << 32;

	for (int i = 0; i < st->nr_frames; i++) {
		struct frame *f = st->frames[i];
		const struct frame *other = with->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			val_join(syms, st, &f->regs[r], &other->regs[r], place ? place + r : 0);
		if (f->nr_words > other->nr_words)
			f->nr_words = other->nr_words;
		for (int w = 0; w < f->nr_words; w++)
			val_join(syms, st, &f->words[w], &other->words[w],
				 place ? place + STATE_REGS + w : 0);
		place += place ? JOIN_WHERE : 0;
	}
	facts_meet(st, with);
}

static void val_replace(struct syms *syms, struct val *v, sym_t from, sym_t to)
{
	__u64 number;

	if (!v->sym)
		return;
	v->sym = sym_replace(syms, v->sym, from, to);
	if (v->kind != VAL_SYM)
		return;
	if (!v->sym)
		*v = (struct val){ .kind = VAL_ANY };
	else if (sym_is_number(syms, v->sym, &number))
		*v = (struct val){ .kind = VAL_NUMBER, .number = number };
}

void state_replace(struct syms *syms, struct state *st, sym_t from, sym_t to)
{
	if (!to && st->made)
		made_add_sym(st->made, from);
	for (int i = 0; i < st->nr_frames; i++) {
		struct frame *f = st->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			val_replace(syms, &f->regs[r], from, to);
		for (int w = 0; w < f->nr_words; w++)
			val_replace(syms, &f->words[w], from, to);
	}
	for (int i = 0; i < st->nr_held; i++)
		st->held[i].lock.sym = sym_replace(syms, st->held[i].lock.sym, from, to);
	st->failed.sym = sym_replace(syms, st->failed.sym, from, to);
	facts_replace(syms, st, from, to);
}

struct val state_fresh(struct syms *syms, struct state *st, __u64 where, bool low32)
{
	sym_t s = sym_fresh(syms, where, low32);

	if (!s)
		return (struct val){ .kind = VAL_ANY };
	state_replace(syms, st, s, 0);
	return (struct val){ .kind = VAL_SYM, .sym = s };
}

static bool val_about(const struct syms *syms, const struct val *v, sym_t s)
{
	return v->sym && (sym_depends(syms, v->sym, s) || sym_depends(syms, s, v->sym));
}

static bool state_about(const struct syms *syms, const struct state *st, sym_t s)
{
	for (int i = 0; i < st->nr_frames; i++) {
		const struct frame *f = st->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			if (val_about(syms, &f->regs[r], s))
				return true;
		for (int w = 0; w < f->nr_words; w++)
			if (val_about(syms, &f->words[w], s))
				return true;
	}
	for (int i = 0; i < st->nr_held; i++)
		if (st->held[i].lock.sym == s)
			return true;
	return false;
}

/* Facts about constants are kept: these may be read again. */
static bool is_kept(const struct syms *syms, const struct fact *f)
{
	__u64 place;

	return syms_keeps_constants(syms) &&
	       (sym_is_constant(syms, f->a, &place) || sym_is_constant(syms, f->b, &place));
}

void state_forget(const struct syms *syms, struct state *st, __u32 live)
{
	__u64 number;

	for (int r = 0; r < BPF_REG_10; r++)
		if (!(live & 1U << r))
			*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
	for (int i = st->nr_facts - 1; i >= 0; i--) {
		const struct fact *f = &st->facts[i];

		if (is_kept(syms, f))
			continue;
		if ((sym_is_number(syms, f->a, &number) || state_about(syms, st, f->a)) &&
		    (sym_is_number(syms, f->b, &number) || state_about(syms, st, f->b)))
			continue;
		st->nr_facts--;
		memmove(&st->facts[i], &st->facts[i + 1],
			(st->nr_facts - i) * sizeof(st->facts[0]));
	}
}

static void val_resolve(struct val *v, __u32 origin, bool null)
{
	if (!v->maybe_null || v->origin != origin)
		return;
	if (null)
		*v = (struct val){ .kind = VAL_NUMBER };
	else
		v->maybe_null = false;
}

static void val_forget_origin(struct val *v, __u32 origin)
{
	if (v->maybe_null && v->origin == origin)
		*v = (struct val){ .kind = VAL_ANY };
}

void state_forget_origin(struct state *st, __u32 origin)
{
	if (st->made)
		made_add_origin(st->made, origin);
	for (int i = 0; i < st->nr_frames; i++) {
		struct frame *f = st->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			val_forget_origin(&f->regs[r], origin);
		for (int w = 0; w < f->nr_words; w++)
			val_forget_origin(&f->words[w], origin);
	}
}

static void val_forget_made(const struct syms *syms, struct val *v, const struct made *made)
{
	if (v->maybe_null && made_has_origin(made, v->origin))
		*v = (struct val){ .kind = VAL_ANY };
	if (!made_depends(made, syms, v->sym))
		return;
	v->sym = 0;
	if (v->kind == VAL_SYM)
		*v = (struct val){ .kind = VAL_ANY };
}

void state_forget_made(struct syms *syms, struct state *st, const struct made *made)
{
	if (st->made)
		made_add_all(st->made, made);
	for (int i = 0; i < st->nr_frames; i++) {
		struct frame *f = st->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			val_forget_made(syms, &f->regs[r], made);
		for (int w = 0; w < f->nr_words; w++)
			val_forget_made(syms, &f->words[w], made);
	}
	facts_forget_made(syms, st, made);
}

void state_resolve_null(struct state *st, __u32 origin, bool null)
{
	for (int i = 0; i < st->nr_frames; i++) {
		struct frame *f = st->frames[i];

		for (int r = 0; r < STATE_REGS; r++)
			val_resolve(&f->regs[r], origin, null);
		for (int w = 0; w < f->nr_words; w++) {
			if (null && f->words[w].maybe_null && f->words[w].origin == origin && w &&
			    f->words[w - 1].kind == VAL_HIGH)
				f->words[w - 1] = (struct val){ .kind = VAL_NUMBER };
			val_resolve(&f->words[w], origin, null);
		}
	}
}

bool state_assume(struct syms *syms, struct state *st, __u8 op, sym_t a, sym_t b)
{
	__u64 number;

	if (!a || !b)
		return true;
	switch (facts_decide(syms, st, op, a, b)) {
	case FACT_TRUE:
		return true;
	case FACT_FALSE:
		return false;
	default:
		break;
	}
	if (op == BPF_JEQ && sym_is_number(syms, b, &number)) {
		state_replace(syms, st, a, b);
		if (sym_is_constant(syms, a, &number))
			facts_add(st, op, a, b);
	} else {
		facts_add(st, op, a, b);
	}
	return !facts_contradict(syms, st);
}
