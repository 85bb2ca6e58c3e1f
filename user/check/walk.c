// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/branch.h"
#include "check/live.h"
#include "check/take.h"
#include "check/visited.h"
#include "check/walk.h"

#define STEPS_MAX 4000000

/* A function that the kernel calls later. */
struct root {
	__u32 pc;
	enum run run;
};

struct walk {
	struct stepper s;
	struct taker taker;
	struct calls *calls;
	struct visited *visited;
	__u16 *live;
	struct state **todo;
	size_t nr_todo, room_todo;
	struct root *roots;
	size_t nr_roots;
	struct bounds *bounds;
	unsigned long steps;
};

static int put(struct walk *w, struct state *st)
{
	if (w->nr_todo == w->room_todo) {
		size_t room = w->room_todo ? w->room_todo * 2 : 64;
		struct state **todo = realloc(w->todo, room * sizeof(*todo));

		if (!todo) {
			state_free(st);
			return -ENOMEM;
		}
		w->todo = todo;
		w->room_todo = room;
	}
	w->todo[w->nr_todo++] = st;
	return 0;
}

static void clear_args(struct state *st)
{
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++)
		*state_reg(st, r) = (struct val){ .kind = VAL_ANY };
}

static struct val fresh(struct walk *w, struct state *st)
{
	return state_fresh(w->s.syms, st, (__u64)st->pc * 256, false);
}

/* r0: what the call returned. */
static void returned(struct state *st, struct val r0)
{
	clear_args(st);
	*state_reg(st, BPF_REG_0) = r0;
	st->pc++;
}

static int enter(struct state *st, __u32 target, __u32 ret, bool callback)
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
	return 0;
}

static int add_root(struct walk *w, __u32 pc, const char *by)
{
	struct root root = { pc, strstr(by, "timer") ? RUN_TIMER : RUN_WORK };

	for (size_t i = 0; i < w->nr_roots; i++)
		if (w->roots[i].pc == pc && w->roots[i].run == root.run)
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

/* The function is called any number of times: on its return the call is made again. */
static int iterate(struct walk *w, struct state *st, __u32 target)
{
	struct state *inside = state_copy(st);
	/* bpf_loop() passes the third one on as the second, bpf_for_each_map_elem() as the fourth.
	 */
	struct val passed = *state_reg(st, BPF_REG_3), first = *state_reg(st, BPF_REG_1);
	int err = inside ? enter(inside, target, st->pc, true) : -ENOMEM;

	if (err) {
		state_free(inside);
		return err;
	}
	if (first.kind == VAL_MAP) {
		struct val key = state_fresh(w->s.syms, inside, (__u64)st->pc * 256 + 1, false);

		*state_reg(inside, BPF_REG_3) =
			(struct val){ .kind = VAL_ELEM, .where = first.where, .sym = key.sym };
		*state_reg(inside, BPF_REG_4) = passed;
	} else {
		*state_reg(inside, BPF_REG_1) =
			state_fresh(w->s.syms, inside, (__u64)st->pc * 256 + 1, true);
		*state_reg(inside, BPF_REG_2) = passed;
	}
	return put(w, inside);
}

static void clobber_args(struct walk *w, struct state *st)
{
	for (int r = BPF_REG_1; r <= BPF_REG_5; r++) {
		struct val ptr = *state_reg(st, r), next = { 0 };

		if (r < BPF_REG_5)
			next = *state_reg(st, r + 1);
		step_forget_context(&w->s, st, &ptr);
		if (ptr.kind == VAL_STACK)
			step_clobber(&w->s, st, &ptr,
				     next.kind == VAL_NUMBER ? (__u32)next.number : 0);
	}
}

static struct val looked_up(struct walk *w, struct state *st, bool inner)
{
	const struct val map = *state_reg(st, BPF_REG_1), key = *state_reg(st, BPF_REG_2);
	struct val v = { .kind = VAL_ELEM, .maybe_null = true, .origin = st->pc + 1 };

	if (map.kind != VAL_MAP)
		return fresh(w, st);
	state_forget_origin(st, v.origin);
	v.where = map.where;
	v.off = inner ? ELEM_INNER : 0;
	v.sym = step_key(&w->s, st, &key, w->s.set->maps[map.where].key_size);
	/* Whatever the key is, it is the same for all copies of this pointer. */
	if (!v.sym)
		v.sym = fresh(w, st).sym;
	return v;
}

static struct val object(struct walk *w, struct state *st, enum call_kind kind)
{
	const struct val r1 = *state_reg(st, BPF_REG_1);
	struct val v = { .kind = VAL_OBJECT, .maybe_null = true, .origin = st->pc + 1 };

	state_forget_origin(st, v.origin);
	if (kind == CALL_OBJECT_NEW && r1.kind == VAL_NUMBER && r1.number < 0xffff)
		v.where = r1.number;
	if (kind == CALL_OBJECT && r1.kind == VAL_OBJECT) {
		v.where = r1.where;
		v.sym = r1.sym;
		v.off = r1.off;
		return v;
	}
	v.sym = fresh(w, st).sym;
	return v;
}

static int other_call(struct walk *w, struct state *st, const struct call *call)
{
	const struct val *func = function_arg(st);
	__u32 target = func ? func->number : 0;
	int err = 0;

	if (func && target < w->s.prog->nr_insns) {
		if (call->kind == CALL_DEFER)
			err = add_root(w, target, call->name);
		else if (!strstr(call->name, "rbtree_add"))
			err = iterate(w, st, target);
		if (err)
			return err;
	}
	clobber_args(w, st);
	returned(st, fresh(w, st));
	st->quiet_pc = 0;
	return 0;
}

/* Both ways on: the lock is had, and it is not. */
static int lock(struct walk *w, struct state *st, const struct call *call)
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
		returned(fails, (struct val){ .kind = VAL_ERROR });
		err = put(w, fails);
		if (err)
			return err;
	}
	take_held(st, call);
	returned(st, (struct val){ .kind = VAL_NUMBER });
	return 0;
}

/* 1: go on with st, 0: its path ends, -errno. */
static int kernel_call(struct walk *w, struct state *st)
{
	struct call call = calls_of(w->calls, &w->s.prog->insns[st->pc]);
	struct val v;

	switch (call.kind) {
	case CALL_LOCK:
	case CALL_SPIN_LOCK:
		return lock(w, st, &call) ?: 1;
	case CALL_UNLOCK:
		if (!take_release(st))
			return 0;
		returned(st, (struct val){ .kind = VAL_ANY });
		return 1;
	case CALL_IRQ_SAVE:
		st->irq_off++;
		returned(st, (struct val){ .kind = VAL_ANY });
		return 1;
	case CALL_IRQ_RESTORE:
		if (!st->irq_off)
			return 0;
		st->irq_off--;
		returned(st, (struct val){ .kind = VAL_ANY });
		return 1;
	case CALL_LOOKUP:
	case CALL_LOOKUP_INNER:
		v = looked_up(w, st, call.kind == CALL_LOOKUP_INNER);
		returned(st, v);
		return 1;
	case CALL_OBJECT_NEW:
	case CALL_OBJECT:
		v = object(w, st, call.kind);
		returned(st, v);
		return 1;
	case CALL_NO_RETURN:
		return 0;
	default:
		return other_call(w, st, &call) ?: 1;
	}
}

static int call(struct walk *w, struct state *st)
{
	__u32 target;
	int err;

	if (w->s.prog->insns[st->pc].src_reg != BPF_PSEUDO_CALL)
		return kernel_call(w, st);
	target = live_callee(w->s.prog, st->pc);
	if (target == ~0U)
		return -EINVAL;
	err = enter(st, target, st->pc + 1, false);
	return err ?: 1;
}

static int leave(struct walk *w, struct state *st)
{
	struct val r0 = *state_reg(st, BPF_REG_0);
	bool callback = state_top(st)->callback;
	__u32 ret = state_top(st)->ret;

	if (st->nr_frames == 1) {
		return w->taker.run == RUN_PROGRAM ? take_end(&w->taker, st) : 0;
	}
	state_pop(st);
	st->pc = ret;
	if (callback) /* its arguments are still those of the call, which is made again */
		return 1;
	clear_args(st);
	*state_reg(st, BPF_REG_0) = r0.kind == VAL_STACK ? (struct val){ 0 } : r0;
	return 1;
}

static int jump(struct walk *w, struct state *st)
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
	if (branch(&w->s, other, true))
		err = put(w, other);
	else
		state_free(other);
	return err ?: branch(&w->s, st, false);
}

static int one(struct walk *w, struct state *st)
{
	__u8 code = w->s.prog->insns[st->pc].code;

	if (BPF_CLASS(code) != BPF_JMP && BPF_CLASS(code) != BPF_JMP32) {
		step(&w->s, st);
		return 1;
	}
	switch (BPF_OP(code)) {
	case BPF_CALL:
		return call(w, st);
	case BPF_EXIT:
		return leave(w, st);
	}
	return jump(w, st);
}

static int follow(struct walk *w, struct state *st)
{
	int more = 1;

	while (more > 0) {
		if (st->pc >= w->s.prog->nr_insns)
			return -EINVAL;
		if (++w->steps > STEPS_MAX)
			return -E2BIG;
		if (w->live[st->pc] & LIVE_MEET) {
			__u32 live = w->live[st->pc] & ~LIVE_MEET;

			state_forget(w->s.syms, st, live);
			more = visited_add(w->visited, w->s.syms, st, live);
		}
		if (more > 0)
			more = one(w, st);
	}
	return more;
}

static void clear_todo(struct walk *w)
{
	while (w->nr_todo)
		state_free(w->todo[--w->nr_todo]);
}

static int walk_from(struct walk *w, __u32 pc)
{
	struct state *st = state_new(pc);
	int err;

	if (st)
		st->bounds = w->bounds;
	if (st && w->taker.run == RUN_PROGRAM)
		*state_reg(st, BPF_REG_1) =
			(struct val){ .kind = VAL_CONTEXT,
				      .sym = sym_fresh(w->s.syms, ~0ULL, false) };
	err = st ? put(w, st) : -ENOMEM;

	while (!err && w->nr_todo) {
		st = w->todo[--w->nr_todo];
		err = follow(w, st);
		state_free(st);
	}
	clear_todo(w);
	return err;
}

/* A function that the kernel calls later may be one that the program calls itself, too. */
static int walk_root(struct walk *w, __u32 pc)
{
	int err;

	w->steps = 0;
	w->visited = visited_new(w->s.prog->nr_insns);
	err = w->visited ? walk_from(w, pc) : -ENOMEM;
	visited_free(w->visited);
	if (err == -ENOMEM || !err)
		return err;
	w->bounds->stopped =
		err == -E2BIG ? "it has too many paths" : "a call in it leads to no known place";
	return 0;
}

static int walk_all(struct walk *w)
{
	int err = walk_root(w, 0);

	if (!err && !w->bounds->stopped)
		err = take_record_ignored(&w->taker);
	for (size_t i = 0; !err && i < w->nr_roots; i++) {
		w->taker.run = w->roots[i].run;
		err = walk_root(w, w->roots[i].pc);
	}
	return err;
}

int walk(const struct check_set *set, __u32 prog, struct calls *calls, struct record *record,
	 struct bounds *bounds)
{
	struct walk w = { .s = { .prog = &set->progs[prog], .set = set },
			  .calls = calls,
			  .bounds = bounds };
	int err = -ENOMEM;

	w.s.syms = syms_new();
	w.live = live_find(w.s.prog);
	w.taker = (struct taker){ .s = &w.s, .prog = prog, .record = record };
	if (w.s.syms && w.live)
		err = walk_all(&w);
	if (w.s.syms)
		bounds->deep += sym_deep(w.s.syms);
	take_free(&w.taker);
	free(w.todo);
	free(w.roots);
	free(w.live);
	syms_free(w.s.syms);
	return err;
}
