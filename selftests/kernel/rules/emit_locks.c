// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks, flags and look-ups. */
#include "emit.h"

/* Nested programs have plain locks of their own: on one held below them they would spin for ever.
 */
static int plain_map(const struct emitter *e, int lock)
{
	const int *maps =
		e->program->env == ENV_FENTRY ? e->kernel->nested_plain : e->kernel->plain;

	return maps[lock - LOCK_PLAIN];
}

/* Load the address of @off in the value or object that contains the lock or root @lock. */
void load_place(struct emitter *e, int dst, int lock, int off)
{
	if (lock >= LOCK_ITEM)
		emit_load(e, dst, BPF_REG_9, OBJECT_OFF(lock - LOCK_ITEM));
	else if (lock >= LOCK_PLAIN)
		load_map(e, dst, plain_map(e, lock), BPF_PSEUDO_MAP_VALUE);
	else if (lock >= LOCK_VALUE)
		emit_load(e, dst, BPF_REG_9, VALUE_OFF(lock - LOCK_VALUE));
	else
		load_map(e, dst, e->kernel->globals[lock], BPF_PSEUDO_MAP_VALUE);
	if (off)
		add_imm(e, dst, off);
}

void emit_lock_op(struct emitter *e, const struct stmt *s)
{
	static const enum kfunc kfuncs[] = {
		[OP_UNLOCK] = K_UNLOCK,		[OP_UNLOCK_OOO] = K_UNLOCK_OOO,
		[OP_UNLOCK_IRQ] = K_UNLOCK_IRQ, [OP_SAVE] = K_SAVE,
		[OP_RESTORE] = K_RESTORE,
	};
	int flag_reg = s->op == OP_UNLOCK_IRQ ? BPF_REG_2 : BPF_REG_1;

	if (s->op == OP_SMASH) {
		emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_9, 0, FLAG_OFF(s->flag), 0);
		return;
	}
	if (s->op != OP_SAVE && s->op != OP_RESTORE)
		load_place(e, BPF_REG_1, s->lock, LOCK_OFF);
	if (s->op == OP_SPIN_UNLOCK) {
		call_helper(e, BPF_FUNC_spin_unlock);
		return;
	}
	if (s->op != OP_UNLOCK && s->op != OP_UNLOCK_OOO)
		emit_address(e, flag_reg, BPF_REG_9, FLAG_OFF(s->flag));
	call_kfunc(e, kfuncs[s->op]);
}

bool emit_lock(struct emitter *e, const struct stmt *s)
{
	int failed;

	load_place(e, BPF_REG_1, s->lock, LOCK_OFF);
	if (s->op == OP_SPIN_LOCK) {
		call_helper(e, BPF_FUNC_spin_lock);
		return emit_block(e, s->a);
	}
	if (s->op == OP_LOCK_IRQ)
		emit_address(e, BPF_REG_2, BPF_REG_9, FLAG_OFF(s->flag));
	call_kfunc(e, s->op == OP_LOCK_IRQ ? K_LOCK_IRQ : K_LOCK);
	/* The result is an int: the upper half is undefined. */
	failed = emit_insn(e, BPF_JMP32 | BPF_JNE | BPF_K, BPF_REG_0, 0, 0, 0);
	return emit_branches(e, failed, s->a, s->b);
}

bool emit_lookup(struct emitter *e, const struct stmt *s)
{
	int jump;

	/* Not a constant key: some verifiers know whether its element exists. */
	load_map(e, BPF_REG_7, e->kernel->condition, BPF_PSEUDO_MAP_VALUE);
	emit_insn(e, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_7, BPF_REG_7, 0, 0);
	emit_insn(e, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_7, 0, 0, 3);
	emit_store(e, BPF_REG_10, KEY_OFF_STACK, BPF_REG_7);
	emit_address(e, BPF_REG_2, BPF_REG_10, KEY_OFF_STACK);
	load_map(e, BPF_REG_1, e->kernel->values, BPF_PSEUDO_MAP_FD);
	call_helper(e, BPF_FUNC_map_lookup_elem);
	jump = jump_if(e, BPF_JEQ, BPF_REG_0, 0);
	emit_store(e, BPF_REG_9, VALUE_OFF(s->value), BPF_REG_0);
	return emit_branches(e, jump, s->a, s->b);
}
