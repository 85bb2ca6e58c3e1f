// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/entries.h"
#include "check/facts.h"
#include "check/made.h"

/* Calls of a function that are followed one by one, each with all that is known there. */
#define ENTERED_APART 16

/* Entries, callers and exits that are kept apart; further ones are merged. */
#define APART_NUMBERS	 3  /* that differ by numbers and conditions only */
#define APART		 32 /* that differ by pointers, too */
#define ALL_REGS	 0xffffU
#define HASHES_OF_A_LOOK 64 /* comparisons of hashes that take as long as one of states */

/* A kept state with its hash, which tells most different states apart without a comparison. */
struct kept {
	struct state *st;
	__u32 hash;
};

/**
 * struct entry - a function, entered in one way
 * @next: another entry of the same function
 * @at: the state at the entry, as far as the function can see it
 * @ends: number of frames, its own included: to leave the last one is to leave the function
 * @made: symbols that the function makes anew: the same symbol in a caller is another number
 * @told: 1 plus the size of @made that all resumed callers have seen; 0: none was resumed
 * @callers: states of the callers, as they will go on
 * @exits: states in which the function returned
 */
struct entry {
	struct entry *next;
	struct kept at;
	__u32 ends;
	struct made made;
	size_t told;
	struct kept *callers, *exits;
	size_t nr_callers, nr_exits;
};

struct entries {
	struct syms *syms;
	entries_put put;
	void *to;
	struct entry **of; /* by first instruction */
	__u32 *entered;
	__u32 nr;
	unsigned long looks, hashes; /* comparisons: of states, of hashes */
	size_t bytes;
};

struct entries *entries_new(__u32 nr_insns, struct syms *syms, entries_put put, void *to)
{
	struct entries *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	*e = (struct entries){ .syms = syms, .put = put, .to = to, .nr = nr_insns };
	e->of = calloc(nr_insns + 1, sizeof(e->of[0]));
	e->entered = calloc(nr_insns + 1, sizeof(e->entered[0]));
	if (e->of && e->entered)
		return e;
	entries_free(e);
	return NULL;
}

unsigned long entries_looks(const struct entries *e)
{
	return e->looks + e->hashes / HASHES_OF_A_LOOK;
}

size_t entries_bytes(const struct entries *e)
{
	return e->bytes;
}

static void free_states(struct kept *all, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		state_free(all[i].st);
	free(all);
}

static void entry_free(struct entry *one)
{
	state_free(one->at.st);
	made_free(&one->made);
	free_states(one->callers, one->nr_callers);
	free_states(one->exits, one->nr_exits);
	free(one);
}

void entries_free(struct entries *e)
{
	for (__u32 pc = 0; e && e->of && pc < e->nr; pc++)
		for (struct entry *one = e->of[pc], *next; one; one = next) {
			next = one->next;
			entry_free(one);
		}
	if (e) {
		free(e->of);
		free(e->entered);
	}
	free(e);
}

/* A state to look for among those that are kept. */
struct sought {
	const struct state *st;
	__u32 hash;
};

static struct sought entries_seek(const struct state *st)
{
	return (struct sought){ .st = st, .hash = state_hash(st) };
}

/* Kept states that are like a given one: how many, and the latest of each sort. */
struct alike {
	size_t nr, nr_close;
	const struct state *latest, *latest_close;
};

/* Count @one if it is like the state. True: it covers the state. */
static bool alike_add(struct entries *e, struct alike *a, const struct kept *one,
		      const struct sought *s)
{
	e->hashes++;
	if (one->hash != s->hash || !state_alike(one->st, s->st))
		return false;
	e->looks++;
	if (state_covers(one->st, s->st, ALL_REGS))
		return true;
	if (!a->nr++)
		a->latest = one->st;
	if (state_close(one->st, s->st) && !a->nr_close++)
		a->latest_close = one->st;
	return false;
}

/* The kept state that a new one has to be merged with, or NULL. */
static const struct state *alike_many(const struct alike *a)
{
	return a->nr_close >= APART_NUMBERS ? a->latest_close : a->nr >= APART ? a->latest : NULL;
}

static bool is_covered(struct entries *e, const struct kept *all, size_t nr, const struct state *st,
		       struct alike *a)
{
	struct sought s = entries_seek(st);

	*a = (struct alike){};
	for (size_t i = nr; i-- > 0;)
		if (alike_add(e, a, &all[i], &s))
			return true;
	return false;
}

/*
 * Add a state, merged with a kept one if there are too many. place: of the joining. 1: it is new,
 * 0: it is not, -ENOMEM.
 */
static int add_state(struct entries *e, struct kept **all, size_t *nr, struct state *st,
		     __u32 place)
{
	const struct state *with;
	struct kept copy;
	struct alike a;
	int err;

	if (is_covered(e, *all, *nr, st, &a))
		return 0;
	with = alike_many(&a);
	if (with) {
		state_join(e->syms, st, with, place);
		if (st->bounds)
			st->bounds->joined++;
		if (is_covered(e, *all, *nr, st, &a))
			return 0;
	}
	copy = (struct kept){ state_keep(st), state_hash(st) };
	err = copy.st ? grow_append((void **)all, nr, &copy, sizeof(copy)) : -ENOMEM;
	if (err)
		state_free(copy.st);
	else
		e->bytes += sizeof(copy) + state_bytes(copy.st);
	return err ?: 1;
}

static bool sees_stack(const struct frame *f)
{
	for (int r = BPF_REG_0; r < BPF_REG_10; r++)
		if (f->regs[r].kind == VAL_STACK || f->regs[r].kind == VAL_ANYWHERE)
			return true;
	return false;
}

static void hide_frame(struct frame *f)
{
	f->ret = 0;
	f->callback = CALLBACK_NONE;
	for (int r = 0; r < STATE_REGS; r++)
		f->regs[r] = (struct val){ .kind = VAL_ANY };
}

/*
 * Remove what the function cannot see: the registers of its callers, and their stacks if it has no
 * pointer to a stack.
 */
static void hide_callers(struct state *st)
{
	bool sees = sees_stack(state_top(st));
	struct frame *own = state_top(st);

	own->ret = 0;
	own->callback = CALLBACK_NONE;
	for (int i = 0; i < st->nr_frames - 1; i++)
		if (sees)
			hide_frame(st->frames[i]);
		else
			free(st->frames[i]);
	if (sees)
		return;
	st->frames[0] = own;
	st->nr_frames = 1;
	own->regs[BPF_REG_10].where = 0;
}

static struct entry *entries_find(struct entries *e, const struct state *st, struct alike *a)
{
	struct sought s = entries_seek(st);

	*a = (struct alike){};
	for (struct entry *one = e->of[st->pc]; one; one = one->next)
		if (alike_add(e, a, &one->at, &s))
			return one;
	return NULL;
}

static struct entry *entry_new(struct entries *e, const struct state *st)
{
	struct entry *one = calloc(1, sizeof(*one));

	if (one)
		one->at = (struct kept){ state_keep(st), state_hash(st) };
	if (!one || !one->at.st) {
		free(one);
		return NULL;
	}
	e->bytes += sizeof(*one) + state_bytes(one->at.st);
	one->ends = st->nr_frames;
	one->next = e->of[st->pc];
	e->of[st->pc] = one;
	return one;
}

/* Copy what is known of locks and interrupts; frames are copied elsewhere. */
static void take_rest(struct state *to, const struct state *from)
{
	to->nr_held = from->nr_held;
	memcpy(to->held, from->held, sizeof(to->held));
	to->irq_off = from->irq_off;
	to->failed = from->failed;
	to->failed_pc = from->failed_pc;
	to->failed_held = from->failed_held;
	to->quiet_pc = from->quiet_pc;
	to->clean = from->clean;
	to->took = from->took;
}

static void take_stacks(struct state *to, const struct state *from)
{
	for (int i = 0; i < from->nr_frames - 1 && i < to->nr_frames; i++) {
		const struct frame *f = from->frames[i];

		memcpy(to->frames[i]->words, f->words, f->nr_words * sizeof(f->words[0]));
		to->frames[i]->nr_words = f->nr_words;
	}
}

static void return_to(struct syms *syms, struct state *st, const struct state *from)
{
	struct val r0 = *state_reg(from, BPF_REG_0);
	enum callback how = st->resume_how;

	st->pc = st->resume_pc;
	st->resume_pc = 0;
	st->resume_how = CALLBACK_NONE;
	st->behind = true;
	if (how == CALLBACK_AGAIN)
		return;
	if (how == CALLBACK_ONCE)
		r0 = state_fresh(syms, st, (__u64)st->pc++ * 256, false);
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++)
		*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
	*state_reg(st, BPF_REG_0) = r0.kind == VAL_STACK ? (struct val){ 0 } : r0;
}

/* Resume a caller with a state in which the function returned. */
static int caller_resume(struct entries *e, struct entry *one, const struct state *caller,
			 const struct state *from)
{
	struct state *st = one->made.nomem ? NULL : state_copy(caller);

	if (!st)
		return -ENOMEM;
	e->looks++;
	if (!one->told)
		one->told = made_count(&one->made) + 1;
	state_forget_made(e->syms, st, &one->made);
	take_stacks(st, from);
	take_rest(st, from);
	return_to(e->syms, st, from);
	st->loose = true;
	for (int i = 0; i < from->nr_facts; i++)
		facts_add(st, from->facts[i].op, from->facts[i].a, from->facts[i].b);
	if (facts_contradict(e->syms, st)) {
		state_free(st);
		return 0;
	}
	return e->put(e->to, st);
}

static int add_caller(struct entries *e, struct entry *one, struct state *caller)
{
	int err = add_state(e, &one->callers, &one->nr_callers, caller, JOIN_UNKNOWN);

	if (err <= 0)
		return err;
	for (size_t i = 0; i < one->nr_exits; i++) {
		err = caller_resume(e, one, one->callers[one->nr_callers - 1].st, one->exits[i].st);
		if (err)
			return err;
	}
	return 0;
}

static int enter_new(struct entries *e, struct state *in, struct entry **one)
{
	struct state *first;

	*one = entry_new(e, in);
	first = *one ? state_copy(in) : NULL;
	if (!first)
		return -ENOMEM;
	first->inside = *one;
	first->loose = true;
	first->made = &(*one)->made;
	return e->put(e->to, first);
}

static int enter_hidden(struct entries *e, struct state *caller, struct state *in)
{
	const struct state *with;
	struct made made = {};
	struct entry *one;
	struct alike a;
	int err = 0;

	in->inside = NULL;
	in->made = NULL;
	hide_callers(in);
	one = entries_find(e, in, &a);
	with = alike_many(&a);
	if (!one && with) {
		in->made = &made;
		state_join(e->syms, in, with, in->pc + e->nr);
		in->made = NULL;
		if (in->bounds)
			in->bounds->joined++;
		one = entries_find(e, in, &a);
	}
	if (!one)
		err = enter_new(e, in, &one);
	if (!err)
		made_add_all(&one->made, &made);
	err = err ?: made.nomem ? -ENOMEM : 0;
	made_free(&made);
	return err ?: add_caller(e, one, caller);
}

int entries_enter(struct entries *e, struct state *st)
{
	struct state *in;
	int err;

	if (st->pc >= e->nr || e->entered[st->pc]++ < ENTERED_APART)
		return 1;
	in = state_copy(st);
	if (!in)
		return -ENOMEM;
	st->resume_pc = state_top(st)->ret;
	st->resume_how = state_top(st)->callback;
	state_pop(st);
	for (int r = BPF_REG_0; r <= BPF_REG_5 && !st->resume_how; r++)
		*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
	err = enter_hidden(e, st, in);
	state_free(in);
	return err;
}

bool entries_ends(const struct state *st)
{
	return st->inside && st->nr_frames == st->inside->ends;
}

static int resume_all(struct entries *e, struct entry *one, size_t first_exit)
{
	int err = 0;

	for (size_t x = first_exit; x < one->nr_exits; x++)
		for (size_t i = 0; !err && i < one->nr_callers; i++)
			err = caller_resume(e, one, one->callers[i].st, one->exits[x].st);
	return err;
}

int entries_leave(struct entries *e, struct state *st)
{
	struct entry *one = st->inside;
	int err;

	/* Of the function's own frame only the result counts: no pointer into it is left. */
	state_top(st)->nr_words = 0;
	for (int r = BPF_REG_1; r < STATE_REGS; r++)
		*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
	st->pc = one->at.st->pc;
	err = add_state(e, &one->exits, &one->nr_exits, st, one->at.st->pc + 2 * e->nr);
	return err > 0 ? resume_all(e, one, one->nr_exits - 1) : err;
}

int entries_settle(struct entries *e)
{
	int err = 0;

	for (__u32 pc = 0; !err && pc < e->nr; pc++)
		for (struct entry *one = e->of[pc]; !err && one; one = one->next) {
			size_t nr = made_count(&one->made) + 1;

			if (one->made.nomem)
				return -ENOMEM;
			if (!one->told || one->told == nr)
				continue;
			one->told = nr;
			err = resume_all(e, one, 0);
		}
	return err;
}
