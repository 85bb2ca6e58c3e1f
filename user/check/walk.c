// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/arena.h"
#include "check/branch.h"
#include "check/callbacks.h"
#include "check/entries.h"
#include "check/live.h"
#include "check/mapops.h"
#include "check/take.h"
#include "check/visited.h"
#include "check/walk.h"

/* The budget of a program, in work that is the same on each machine. */
#define STEPS_MAX	4000000
#define LOOKS_OF_A_STEP 8 /* comparisons of states that take as long as an instruction */
#define BYTES_MAX	(512UL << 20)
#define JUMP_BY_TABLE	(BPF_JMP | BPF_JA | BPF_X)

/* A function that the kernel calls later. */
struct root {
	__u32 pc;
	enum run run;
	const struct callback_taker *taker;
	struct val source;
};

struct walk {
	struct stepper s;
	struct taker taker;
	struct calls *calls;
	struct visited *visited;
	struct entries *entries;
	__u16 *live;
	struct state **todo;
	size_t nr_todo;
	struct root *roots;
	size_t nr_roots;
	__u8 *arena;   /* what happens to locks of arenas, by the instruction that takes them */
	bool *entered; /* functions, by their first instruction */
	struct bounds *bounds;
	unsigned long steps;
};

static int walk_put(struct walk *w, struct state *st)
{
	int err = grow_append((void **)&w->todo, &w->nr_todo, &st, sizeof(st));

	if (err)
		state_free(st);
	return err;
}

static void clear_args(struct state *st)
{
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++)
		*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
}

static struct val walk_fresh(struct walk *w, struct state *st)
{
	return state_fresh(w->s.syms, st, (__u64)st->pc * 256, false);
}

/* r0: what the call returned. */
static void call_return(struct state *st, struct val r0)
{
	clear_args(st);
	*state_reg(st, BPF_REG_0) = r0;
	st->pc++;
}

static int function_enter(struct walk *w, struct state *st, __u32 target, __u32 ret,
			  enum callback callback)
{
	struct val args[BPF_REG_6];
	int err;

	memcpy(args, state_top(st)->regs, sizeof(args));
	err = state_push(st, ret, callback);
	if (err)
		return err;
	if (!callback)
		memcpy(state_top(st)->regs, args, sizeof(args));
	*state_reg(st, BPF_REG_0) = (struct val){ .kind = VAL_ANY };
	st->pc = target;
	w->entered[target] = true;
	return 0;
}

static bool root_equal(const struct root *a, const struct root *b)
{
	return a->pc == b->pc && a->run == b->run && a->source.kind == b->source.kind &&
	       a->source.where == b->source.where && a->source.sym == b->source.sym;
}

/* Elements whose key is known only when the program runs are taken for one. */
static int add_root(struct walk *w, __u32 pc, const struct callback_taker *taker,
		    const struct val *source)
{
	struct root root = { .pc = pc, .run = taker->run, .taker = taker };
	__u64 key;

	if (source->kind == VAL_ELEM || source->kind == VAL_MAP)
		root.source = (struct val){ .kind = VAL_MAP, .where = source->where };
	if (source->kind == VAL_ELEM && sym_is_number(w->s.syms, source->sym, &key)) {
		root.source.kind = VAL_ELEM;
		root.source.sym = source->sym;
	}
	for (size_t i = 0; i < w->nr_roots; i++)
		if (root_equal(&w->roots[i], &root))
			return 0;
	return grow_append((void **)&w->roots, &w->nr_roots, &root, sizeof(root));
}

static const struct val *function_arg(const struct state *st)
{
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++)
		if (state_reg(st, r)->kind == VAL_FUNC)
			return state_reg(st, r);
	return NULL;
}

/* The function is called during this call: any number of times, or at most once. */
static int call_back(struct walk *w, struct state *st, const struct callback_taker *taker,
		     __u32 target)
{
	struct state *inside = state_copy(st);
	struct val none = { .kind = VAL_ANY };
	bool once = taker->times == TIMES_ONCE;
	int err = inside ? function_enter(w, inside, target, st->pc,
					  once ? CALLBACK_ONCE : CALLBACK_AGAIN) :
			   -ENOMEM;

	if (err) {
		state_free(inside);
		return err;
	}
	callback_set_args(taker, &w->s, inside,
			  taker->source ? state_reg(st, taker->source) : &none,
			  taker->context ? state_reg(st, taker->context) : &none);
	return walk_put(w, inside);
}

static void clobber_args(struct walk *w, struct state *st, const struct call *call)
{
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++) {
		struct val ptr = *state_reg(st, r), next = { 0 };

		if (r < BPF_REG_5 && (call->sizes & 1U << r))
			next = *state_reg(st, r + 1);
		step_forget_context(&w->s, st, &ptr);
		if (!call->reads)
			step_clobber(&w->s, st, &ptr,
				     next.kind == VAL_NUMBER ? (__u32)next.number : 0);
	}
}

static struct val map_lookup_result(struct walk *w, struct state *st)
{
	const struct val map = *state_reg(st, BPF_REG_1);
	struct val v = { .kind = VAL_ELEM, .maybe_null = true, .origin = st->pc + 1 };

	if (map.kind != VAL_MAP)
		return walk_fresh(w, st);
	state_forget_origin(st, v.origin);
	v.where = map.where;
	v.sym = walk_fresh(w, st).sym;
	return v;
}

static struct val looked_up(struct walk *w, struct state *st, bool inner)
{
	const struct val map = *state_reg(st, BPF_REG_1), key = *state_reg(st, BPF_REG_2);
	struct val v = { .kind = VAL_ELEM, .maybe_null = true, .origin = st->pc + 1 };

	if (map.kind != VAL_MAP)
		return walk_fresh(w, st);
	state_forget_origin(st, v.origin);
	v.where = map.where;
	v.off = inner ? ELEM_INNER : 0;
	v.sym = step_only_key(&w->s, map.where);
	if (!v.sym)
		v.sym = step_key(&w->s, st, &key, w->s.set->maps[map.where].key_size);
	/* Whatever the key is, it is the same for all copies of this pointer. */
	if (!v.sym)
		v.sym = walk_fresh(w, st).sym;
	return v;
}

static struct val walk_object(struct walk *w, struct state *st, enum call_kind kind)
{
	const struct val r1 = *state_reg(st, BPF_REG_1);
	struct val v = { .kind = VAL_OBJECT, .maybe_null = true, .origin = st->pc + 1 };

	state_forget_origin(st, v.origin);
	if (kind == CALL_OBJECT_NEW && r1.kind == VAL_NUMBER && r1.number < 0xffff)
		v.where = r1.number;
	if (kind == CALL_OBJECT_SAME && r1.kind == VAL_OBJECT) {
		v.where = r1.where;
		v.sym = r1.sym;
		v.off = r1.off;
		return v;
	}
	v.sym = walk_fresh(w, st).sym;
	return v;
}

/* Follow a function of the program that is passed to the call. */
static int pass_function(struct walk *w, struct state *st, const struct call *call)
{
	const struct callback_taker *taker = callback_find(call->name);
	const struct val *func = taker ? state_reg(st, taker->func) : function_arg(st);
	struct val none = { .kind = VAL_ANY };
	bool known = taker && func->kind == VAL_FUNC && func->number < w->s.prog->nr_insns;
	int err = 0;

	if (!taker && !func)
		return 0;
	if (!known) {
		snprintf(w->bounds->callback, sizeof(w->bounds->callback), "%s", call->name);
		taker = callback_unknown();
		func = function_arg(st);
		if (!func || func->number >= w->s.prog->nr_insns)
			return 0;
	}
	if (taker->times == TIMES_LATER || !known)
		err = add_root(w, func->number, taker,
			       taker->source ? state_reg(st, taker->source) : &none);
	if (taker->times != TIMES_LATER && !err)
		err = call_back(w, st, taker, func->number);
	return err;
}

static int other_call(struct walk *w, struct state *st, const struct call *call)
{
	struct val buffer = *state_reg(st, BPF_REG_3);
	int err = pass_function(w, st, call);

	if (err)
		return err;
	clobber_args(w, st, call);
	call_return(st, walk_fresh(w, st));
	if (call->kind == CALL_SLICE && buffer.kind >= VAL_ANYWHERE)
		*state_reg(st, BPF_REG_0) = (struct val){ .kind = VAL_ANYWHERE };
	st->quiet_pc = 0;
	return 0;
}

/* Follow both results: the lock is acquired, or the acquisition fails. */
static int walk_lock(struct walk *w, struct state *st, const struct call *call)
{
	struct state *fails = NULL;
	int err = take_record(&w->taker, st, call);

	if (err)
		return err;
	if (call->kind == CALL_LOCK) {
		fails = state_copy(st);
		if (!fails)
			return -ENOMEM;
		take_failed(fails);
		call_return(fails, (struct val){ .kind = VAL_ERROR });
		err = walk_put(w, fails);
		if (err)
			return err;
	}
	take_held(st, call);
	call_return(st, (struct val){ .kind = VAL_NUMBER });
	return 0;
}

/* Record the call if it is an operation on a known map. */
static int use_map(struct walk *w, const struct state *st, const struct call *call)
{
	struct use use = { .at = { .prog = w->taker.prog, .pc = st->pc, .run = w->taker.run } };
	const struct val *map;
	int reg;

	use.op = mapop_find(call->name, &reg);
	map = use.op ? state_reg(st, reg) : NULL;
	if (!map || map->kind != VAL_MAP || !mapop_locks(&w->s.set->maps[map->where], use.op))
		return 0;
	use.at.lock = (struct lock){ .kind = LOCK_MAP, .map = map->where, .prog = use.at.prog };
	return record_use(w->taker.record, &use);
}

/* 1: go on with st, 0: its path ends, -errno. */
static int kernel_call(struct walk *w, struct state *st)
{
	struct call call = calls_of(w->calls, &w->s.prog->insns[st->pc]);
	struct val v;
	int err = use_map(w, st, &call);

	if (err)
		return err;
	switch (call.kind) {
	case CALL_LOCK:
	case CALL_SPIN_LOCK:
		return walk_lock(w, st, &call) ?: 1;
	case CALL_UNLOCK:
		if (!take_release(st))
			return 0;
		call_return(st, (struct val){ .kind = VAL_ANY });
		return take_record_held(&w->taker, st) ?: 1;
	case CALL_IRQ_SAVE:
		st->irq_off++;
		call_return(st, (struct val){ .kind = VAL_ANY });
		return 1;
	case CALL_IRQ_RESTORE:
		if (!st->irq_off)
			return 0;
		st->irq_off--;
		call_return(st, (struct val){ .kind = VAL_ANY });
		return take_record_held(&w->taker, st) ?: 1;
	case CALL_LOOKUP:
	case CALL_LOOKUP_INNER:
		v = looked_up(w, st, call.kind == CALL_LOOKUP_INNER);
		call_return(st, v);
		return 1;
	case CALL_STORAGE:
		v = map_lookup_result(w, st);
		call_return(st, v);
		return 1;
	case CALL_OBJECT_NEW:
	case CALL_OBJECT:
	case CALL_OBJECT_SAME:
		v = walk_object(w, st, call.kind);
		call_return(st, v);
		return 1;
	case CALL_NO_RETURN:
		return 0;
	default:
		return other_call(w, st, &call) ?: 1;
	}
}

/* A trylock does not wait: no order of locks follows from it. */
static int arena_trylock(struct walk *w, struct state *st, const struct call *call)
{
	struct state *fails = state_copy(st);
	int err;

	if (!fails)
		return -ENOMEM;
	call_return(fails, (struct val){ .kind = VAL_NUMBER });
	err = walk_put(w, fails);
	take_held(st, call);
	call_return(st, (struct val){ .kind = VAL_NUMBER, .number = 1 });
	return err ?: 1;
}

/* The verifier does not track these locks: a lock that is released need not be held. */
static int arena_function(struct walk *w, struct state *st, enum arena_act act)
{
	struct call call = { .kind = CALL_LOCK };

	*state_reg(st, BPF_REG_1) = arena_pointer(&w->s, state_reg(st, BPF_REG_1), 0);
	if (act == ARENA_LOCK)
		return walk_lock(w, st, &call) ?: 1;
	if (act == ARENA_TRYLOCK)
		return arena_trylock(w, st, &call);
	arena_drop(st, w->arena);
	call_return(st, (struct val){ .kind = VAL_ANY });
	return take_record_held(&w->taker, st) ?: 1;
}

/*
 * The first try takes the lock, or another function is called, which waits. A path that holds the
 * lock already does not get it.
 */
static int arena_first_try(struct walk *w, struct state *st)
{
	const struct bpf_insn *insn = &w->s.prog->insns[st->pc];
	struct call call = { .kind = CALL_LOCK };
	struct val ptr = arena_pointer(&w->s, state_reg(st, insn->dst_reg), insn->off);
	const struct val r1 = *state_reg(st, BPF_REG_1);
	struct state *had;

	if (arena_held(st, &ptr)) {
		step_insn(&w->s, st);
		return 1;
	}
	had = state_copy(st);
	if (!had)
		return -ENOMEM;
	*state_reg(had, BPF_REG_1) = ptr;
	take_held(had, &call);
	*state_reg(had, BPF_REG_1) = r1;
	*state_reg(had, BPF_REG_0) = (struct val){ .kind = VAL_NUMBER };
	had->pc++;
	step_insn(&w->s, st);
	return walk_put(w, had) ?: 1;
}

static int arena_release(struct walk *w, struct state *st)
{
	const struct bpf_insn *insn = &w->s.prog->insns[st->pc];
	struct val ptr = arena_pointer(&w->s, state_reg(st, insn->dst_reg), insn->off), r1;

	if (!arena_held(st, &ptr)) {
		step_insn(&w->s, st);
		return 1;
	}
	r1 = *state_reg(st, BPF_REG_1);
	*state_reg(st, BPF_REG_1) = ptr;
	arena_drop(st, w->arena);
	*state_reg(st, BPF_REG_1) = r1;
	step_insn(&w->s, st);
	return take_record_held(&w->taker, st) ?: 1;
}

static int walk_call(struct walk *w, struct state *st)
{
	enum arena_act act;
	__u32 target;
	int err;

	if (w->s.prog->insns[st->pc].src_reg != BPF_PSEUDO_CALL)
		return kernel_call(w, st);
	act = arena_call(w->s.prog, st->pc);
	if (act != ARENA_NONE)
		return arena_function(w, st, act);
	target = live_callee(w->s.prog, st->pc);
	if (target == ~0U)
		return -EINVAL;
	err = function_enter(w, st, target, st->pc + 1, CALLBACK_NONE);
	return err ?: 1;
}

static int walk_leave(struct walk *w, struct state *st)
{
	struct val r0 = *state_reg(st, BPF_REG_0);
	enum callback callback = state_top(st)->callback;
	__u32 ret = state_top(st)->ret;

	if (entries_ends(st))
		return entries_leave(w->entries, st);
	if (st->nr_frames == 1)
		arena_end(st, w->arena);
	if (st->nr_frames == 1)
		return w->taker.run == RUN_PROGRAM ? take_end(&w->taker, st) : 0;
	state_pop(st);
	st->pc = ret;
	if (callback == CALLBACK_AGAIN) /* its arguments are still those of the call */
		return 1;
	if (callback == CALLBACK_ONCE) {
		call_return(st, walk_fresh(w, st));
		return 1;
	}
	clear_args(st);
	*state_reg(st, BPF_REG_0) = r0.kind == VAL_STACK ? (struct val){ 0 } : r0;
	return 1;
}

static int walk_jump(struct walk *w, struct state *st)
{
	struct state *other;
	int err = 0;

	if (BPF_OP(w->s.prog->insns[st->pc].code) == BPF_JA) {
		st->pc = live_target(w->s.prog, st->pc);
		return 1;
	}
	other = state_copy(st);
	if (!other)
		return -ENOMEM;
	if (branch_take(&w->s, other, true))
		err = walk_put(w, other);
	else
		state_free(other);
	return err ?: branch_take(&w->s, st, false);
}

/*
 * Right before the call, the kernel replaces the type id of a new object by its size and its
 * fields. The instruction that sets the size is skipped: only the type id identifies the object's
 * type.
 */
static bool is_object_size(const struct walk *w, __u32 pc)
{
	const struct check_prog *p = w->s.prog;
	const struct bpf_insn *insn = p->insns + pc;

	return pc + 3 < p->nr_insns && insn[0].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
	       insn[0].dst_reg == BPF_REG_1 && insn[1].code == (BPF_LD | BPF_IMM | BPF_DW) &&
	       insn[1].dst_reg == BPF_REG_2 && insn[3].code == (BPF_JMP | BPF_CALL) &&
	       insn[3].src_reg == BPF_PSEUDO_KFUNC_CALL &&
	       calls_of(w->calls, &insn[3]).kind == CALL_OBJECT_NEW;
}

static int walk_one(struct walk *w, struct state *st)
{
	__u8 code = w->s.prog->insns[st->pc].code;

	if (is_object_size(w, st->pc)) {
		st->pc++;
		return 1;
	}
	/* This comes before arena_writes(), as a first try is a write, too. */
	if (arena_try(w->s.prog, st))
		return arena_first_try(w, st);
	if (arena_writes(w->s.prog, st))
		return arena_release(w, st);
	if (BPF_CLASS(code) != BPF_JMP && BPF_CLASS(code) != BPF_JMP32) {
		step_insn(&w->s, st);
		return 1;
	}
	switch (BPF_OP(code)) {
	case BPF_CALL:
		return walk_call(w, st);
	case BPF_EXIT:
		return walk_leave(w, st);
	}
	return walk_jump(w, st);
}

/*
 * Handle a function that was just entered, then a place where paths meet. Returns as walk_follow(),
 * or 1: go on.
 */
static int walk_meet(struct walk *w, struct state *st)
{
	__u32 live = w->live[st->pc] & ~LIVE_MEET;
	int more = 1;

	if (st->met) {
		st->met = false;
		return 1;
	}
	if (state_top(st)->fresh) {
		state_top(st)->fresh = false;
		more = entries_enter(w->entries, st);
	}
	if (more <= 0 || !(w->live[st->pc] & LIVE_MEET || st->behind))
		return more;
	st->behind = false;
	state_forget(w->s.syms, st, live);
	return visited_add(w->visited, w->s.syms, st, live);
}

static bool is_spent(const struct walk *w)
{
	unsigned long looks = visited_looks(w->visited) + entries_looks(w->entries);

	return w->steps + looks / LOOKS_OF_A_STEP > STEPS_MAX ||
	       visited_bytes(w->visited) + entries_bytes(w->entries) > BYTES_MAX;
}

/*
 * Many callers may go on behind a call at once: states that are not new are dropped before they are
 * queued.
 */
static int put_behind(void *walk, struct state *st)
{
	struct walk *w = walk;
	int more = is_spent(w)			 ? -EDQUOT :
		   st->pc >= w->s.prog->nr_insns ? -EINVAL :
						   walk_meet(w, st);

	st->met = true;
	if (more > 0)
		return walk_put(w, st);
	state_free(st);
	return more;
}

/* 0: the path has ended, -errno. */
static int walk_follow(struct walk *w, struct state *st)
{
	int more = 1;

	while (more > 0) {
		if (st->pc >= w->s.prog->nr_insns)
			return -EINVAL;
		if (w->s.prog->insns[st->pc].code == JUMP_BY_TABLE)
			return -EOPNOTSUPP;
		w->steps++;
		if (is_spent(w))
			return -EDQUOT;
		more = walk_meet(w, st);
		if (more > 0)
			more = walk_one(w, st);
	}
	return more;
}

static void clear_todo(struct walk *w)
{
	while (w->nr_todo)
		state_free(w->todo[--w->nr_todo]);
}

static void set_args(struct walk *w, struct state *st, const struct root *root)
{
	struct val none = { .kind = VAL_ANY };

	if (w->taker.run == RUN_PROGRAM)
		*state_reg(st, BPF_REG_1) =
			(struct val){ .kind = VAL_CONTEXT, .sym = step_context(&w->s) };
	else if (root->taker)
		callback_set_args(root->taker, &w->s, st, &root->source, &none);
}

static int walk_from(struct walk *w, const struct root *root)
{
	__u32 pc = root->pc;
	struct state *st = state_new(pc);
	int err;

	if (st)
		st->bounds = w->bounds;
	if (st)
		set_args(w, st, root);
	err = st ? walk_put(w, st) : -ENOMEM;

	while (!err && w->nr_todo) {
		st = w->todo[--w->nr_todo];
		err = walk_follow(w, st);
		state_free(st);
		if (!err && !w->nr_todo)
			err = entries_settle(w->entries);
	}
	clear_todo(w);
	return err;
}

/*
 * Each function starts with nothing visited: one that the kernel calls later may also be called by
 * the program itself.
 */
static int walk_root(struct walk *w, const struct root *root)
{
	int err;

	w->entered[root->pc] = true;
	w->taker.run = root->run;
	w->steps = 0;
	w->visited = visited_new();
	w->entries = entries_new(w->s.prog->nr_insns, w->s.syms, put_behind, w);
	err = w->visited && w->entries ? walk_from(w, root) : -ENOMEM;
	visited_free(w->visited);
	entries_free(w->entries);
	if (err == -ENOMEM || !err)
		return err;
	w->bounds->spent |= err == -EDQUOT;
	w->bounds->stopped = err == -EDQUOT ? "it has too many paths, and the budget is used up" :
			     err == -E2BIG  ? "its calls are nested too deep" :
			     err == -EOPNOTSUPP ?
					     "it has a jump table (-fno-jump-tables avoids it)" :
					     "a call in it leads to no known place";
	return 0;
}

/* Does anything in the program call the function, or pass it on? */
static void find_uses(const struct check_prog *p, __u32 func, bool *called, bool *passed)
{
	for (__u32 pc = 0; pc < p->nr_insns; pc++) {
		const struct bpf_insn *insn = &p->insns[pc];

		if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL)
			*called |= live_callee(p, pc) == func;
		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (insn->src_reg == BPF_PSEUDO_FUNC)
			*passed |= pc + 1 + insn->imm == func;
		pc++;
	}
}

/*
 * A function that nothing calls is a handler of exceptions. One that is passed on, but never
 * entered, may run anywhere.
 */
static int walk_handlers(struct walk *w)
{
	const struct check_prog *p = w->s.prog;
	int err = 0;

	for (__u32 i = 1; !err && i < p->nr_funcs; i++) {
		struct root root = { .pc = p->funcs[i].insn_off, .run = RUN_HANDLER };
		bool called = false, passed = false;

		if (root.pc >= p->nr_insns || w->entered[root.pc])
			continue;
		find_uses(p, root.pc, &called, &passed);
		if (passed) {
			root.taker = callback_unknown();
			root.run = root.taker->run;
		}
		if (passed || !called)
			err = walk_root(w, &root);
	}
	return err;
}

static int walk_all(struct walk *w)
{
	struct root first = { .run = RUN_PROGRAM };
	int err = walk_root(w, &first);

	if (!err && !w->bounds->stopped)
		err = take_record_ignored(&w->taker);
	for (size_t i = 0; !err && i < w->nr_roots; i++) {
		struct root root = w->roots[i];

		err = walk_root(w, &root);
	}
	return err ?: walk_handlers(w);
}

/* Only in programs that take locks can a finding depend on a constant. */
static bool takes_locks(const struct walk *w)
{
	for (__u32 i = 0; i < w->s.prog->nr_insns; i++) {
		const struct bpf_insn *insn = &w->s.prog->insns[i];
		enum call_kind kind;

		if (arena_call(w->s.prog, i) == ARENA_LOCK)
			return true;

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg == BPF_PSEUDO_CALL)
			continue;
		kind = calls_of(w->calls, insn).kind;
		if (kind == CALL_LOCK || kind == CALL_SPIN_LOCK)
			return true;
	}
	return false;
}

int walk_prog(const struct check_set *set, __u32 prog, struct calls *calls, struct record *record,
	      struct bounds *bounds)
{
	struct walk w = { .s = { .prog = &set->progs[prog], .set = set },
			  .calls = calls,
			  .bounds = bounds };
	int err = -ENOMEM;

	w.s.syms = syms_new();
	w.live = live_find(w.s.prog);
	w.entered = calloc(w.s.prog->nr_insns + 1, sizeof(*w.entered));
	w.arena = calloc(w.s.prog->nr_insns + 1, sizeof(*w.arena));
	arena_find(w.s.prog, bounds);
	w.taker = (struct taker){ .s = &w.s, .prog = prog, .record = record };
	if (w.s.syms && takes_locks(&w))
		syms_keep_constants(w.s.syms);
	if (w.s.syms && w.live && w.entered && w.arena)
		err = walk_all(&w);
	if (w.s.syms)
		bounds->deep += sym_deep(w.s.syms);
	if (w.arena)
		bounds->arena_kept = arena_kept(w.s.prog, w.arena);
	take_free(&w.taker);
	free(w.todo);
	free(w.roots);
	free(w.live);
	free(w.entered);
	free(w.arena);
	syms_free(w.s.syms);
	return err;
}
