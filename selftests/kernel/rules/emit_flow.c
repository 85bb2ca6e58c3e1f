// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loops and callbacks, RCU pointers, and the values that map iterators pass to programs. */
#include "emit.h"

#define ITER_VALUE_OFF 24 /* in struct bpf_iter__bpf_map_elem */

static void emit_repeat(struct emitter *e, const struct stmt *s)
{
	int top, out, counter = COUNTER_OFF(e->loops % NR_COUNTERS);

	e->loops++;
	emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, counter, 0);
	top = e->n;
	emit_load(e, BPF_REG_7, BPF_REG_10, counter);
	out = jump_if(e, BPF_JGE, BPF_REG_7, s->turns);
	add_imm(e, BPF_REG_7, 1);
	emit_store(e, BPF_REG_10, counter, BPF_REG_7);
	if (emit_block(e, s->a))
		emit_insn(e, BPF_JMP | BPF_JA, 0, 0, top - e->n - 1, 0);
	jump_land(e, out);
	e->loops--;
}

static void emit_iter(struct emitter *e, const struct stmt *s)
{
	int top, out, iter = ITER_OFF(e->iters % NR_ITERS);

	e->iters++;
	emit_address(e, BPF_REG_1, BPF_REG_10, iter);
	mov_imm(e, BPF_REG_2, 0);
	mov_imm(e, BPF_REG_3, s->turns);
	call_kfunc(e, K_ITER_NEW);
	top = e->n;
	emit_address(e, BPF_REG_1, BPF_REG_10, iter);
	call_kfunc(e, K_ITER_NEXT);
	out = jump_if(e, BPF_JEQ, BPF_REG_0, 0);
	if (emit_block(e, s->a))
		emit_insn(e, BPF_JMP | BPF_JA, 0, 0, top - e->n - 1, 0);
	jump_land(e, out);
	emit_address(e, BPF_REG_1, BPF_REG_10, iter);
	call_kfunc(e, K_ITER_DESTROY);
	e->iters--;
}

static void emit_loop(struct emitter *e, const struct stmt *s)
{
	mov_imm(e, BPF_REG_1, s->turns);
	load_func(e, BPF_REG_2, (struct func){ .body = s->a, .frame = BPF_REG_2 });
	emit_mov(e, BPF_REG_3, BPF_REG_9);
	mov_imm(e, BPF_REG_4, 0);
	call_helper(e, BPF_FUNC_loop);
}

static void emit_foreach(struct emitter *e, const struct stmt *s)
{
	struct func func = { .body = s->a, .frame = BPF_REG_4, .set = s->value, .from = BPF_REG_3 };

	load_map(e, BPF_REG_1, e->kernel->values, BPF_PSEUDO_MAP_FD);
	load_func(e, BPF_REG_2, func);
	emit_mov(e, BPF_REG_3, BPF_REG_9);
	mov_imm(e, BPF_REG_4, 0);
	call_helper(e, BPF_FUNC_for_each_map_elem);
}

void emit_turns(struct emitter *e, const struct stmt *s)
{
	if (s->op == OP_ITER)
		emit_iter(e, s);
	else if (s->op == OP_REPEAT)
		emit_repeat(e, s);
	else if (s->op == OP_LOOP)
		emit_loop(e, s);
	else
		emit_foreach(e, s);
}

bool emit_kptr(struct emitter *e, const struct stmt *s)
{
	int jump;

	load_place(e, BPF_REG_1, LOCK_GLOBAL, 0);
	emit_load(e, BPF_REG_0, BPF_REG_1, KPTR_OFF);
	jump = jump_if(e, BPF_JEQ, BPF_REG_0, 0);
	emit_store(e, BPF_REG_9, KPTR_VAR_OFF, BPF_REG_0);
	return emit_branches(e, jump, s->a, s->b);
}

static void emit_sleep(struct emitter *e)
{
	emit_address(e, BPF_REG_1, BPF_REG_10, KEY_OFF_STACK);
	mov_imm(e, BPF_REG_2, 8);
	mov_imm(e, BPF_REG_3, 0);
	call_helper(e, BPF_FUNC_copy_from_user);
}

/* After the last element there is no value. */
static void emit_value(struct emitter *e, const struct stmt *s)
{
	int none;

	emit_load(e, BPF_REG_1, BPF_REG_9, CTX_OFF);
	emit_load(e, BPF_REG_1, BPF_REG_1, ITER_VALUE_OFF);
	none = jump_if(e, BPF_JEQ, BPF_REG_1, 0);
	if (s->op == OP_VALUE_KEEP)
		emit_store(e, BPF_REG_9, VALUE_OFF(s->value), BPF_REG_1);
	else if (s->op == OP_VALUE_WRITE)
		emit_insn(e, BPF_ST | BPF_MEM | BPF_W, BPF_REG_1, 0, NUMBER_OFF, 7);
	else
		emit_insn(e, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_7, BPF_REG_1, NUMBER_OFF, 0);
	jump_land(e, none);
}

void emit_rcu_op(struct emitter *e, const struct stmt *s)
{
	switch (s->op) {
	case OP_RCU_LOCK:
	case OP_RCU_UNLOCK:
		call_kfunc(e, s->op == OP_RCU_LOCK ? K_RCU_LOCK : K_RCU_UNLOCK);
		break;
	case OP_KPTR_USE:
		emit_load(e, BPF_REG_1, BPF_REG_9, KPTR_VAR_OFF);
		call_kfunc(e, K_KPTR_USE);
		break;
	case OP_SLEEP:
		emit_sleep(e);
		break;
	default:
		emit_value(e, s);
	}
}
