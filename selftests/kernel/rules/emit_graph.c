// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Objects, lists and trees. */
#include "emit.h"

static void load_node(struct emitter *e, int dst, int object)
{
	emit_load(e, dst, BPF_REG_9, OBJECT_OFF(object));
	add_imm(e, dst, NODE_OFF);
}

static void emit_add(struct emitter *e, const struct stmt *s)
{
	load_place(e, BPF_REG_1, s->root, ROOT_OFF);
	load_node(e, BPF_REG_2, s->obj);
	load_func(e, BPF_REG_3, (struct func){ .body = s->a, .less = true });
	mov_imm(e, BPF_REG_4, 0);
	mov_imm(e, BPF_REG_5, 0);
	call_kfunc(e, K_TREE_ADD);
}

/* r8: less()'s first argument. */
static void emit_less_add(struct emitter *e, const struct stmt *s)
{
	int none;

	emit_address(e, BPF_REG_1, BPF_REG_8, -NODE_OFF);
	mov_imm(e, BPF_REG_2, 0);
	call_kfunc(e, K_REFCOUNT_ACQUIRE);
	none = jump_if(e, BPF_JEQ, BPF_REG_0, 0);
	emit_address(e, BPF_REG_2, BPF_REG_0, NODE_OFF);
	load_place(e, BPF_REG_1, s->root, ROOT_OFF);
	load_func(e, BPF_REG_3, (struct func){ .trivial = true });
	mov_imm(e, BPF_REG_4, 0);
	mov_imm(e, BPF_REG_5, 0);
	call_kfunc(e, K_TREE_ADD);
	jump_land(e, none);
}

static void emit_push(struct emitter *e, const struct stmt *s)
{
	load_place(e, BPF_REG_1, s->root, HEAD_OFF);
	load_node(e, BPF_REG_2, s->obj);
	mov_imm(e, BPF_REG_3, 0);
	mov_imm(e, BPF_REG_4, 0);
	call_kfunc(e, K_LIST_PUSH);
}

void emit_graph_op(struct emitter *e, const struct stmt *s)
{
	switch (s->op) {
	case OP_ADD:
		emit_add(e, s);
		break;
	case OP_LESS_ADD:
		emit_less_add(e, s);
		break;
	case OP_PUSH:
		emit_push(e, s);
		break;
	case OP_TOUCH:
		emit_load(e, BPF_REG_1, BPF_REG_9, OBJECT_OFF(s->obj));
		emit_insn(e, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_7, BPF_REG_1, KEY_OFF, 0);
		break;
	default:
		emit_load(e, BPF_REG_1, BPF_REG_9, OBJECT_OFF(s->obj));
		mov_imm(e, BPF_REG_2, 0);
		call_kfunc(e, K_OBJ_DROP);
	}
}

bool emit_acquire(struct emitter *e, const struct stmt *s)
{
	int jump;

	if (s->op == OP_NEW) {
		mov_imm(e, BPF_REG_1,
			is_leaf(s->obj) ? e->kernel->types.leaf : e->kernel->types.item);
		mov_imm(e, BPF_REG_2, 0);
		call_kfunc(e, K_OBJ_NEW);
	} else {
		load_place(e, BPF_REG_1, s->root, s->op == OP_POP ? HEAD_OFF : ROOT_OFF);
		if (s->op == OP_REMOVE)
			load_node(e, BPF_REG_2, s->obj);
		call_kfunc(e, s->op == OP_POP	? K_LIST_POP :
			      s->op == OP_FIRST ? K_TREE_FIRST :
						  K_TREE_REMOVE);
	}
	jump = jump_if(e, BPF_JEQ, BPF_REG_0, 0);
	if (s->op != OP_NEW)
		add_imm(e, BPF_REG_0, -NODE_OFF);
	emit_store(e, BPF_REG_9, OBJECT_OFF(s->obj), BPF_REG_0);
	return emit_branches(e, jump, s->a, s->b);
}
