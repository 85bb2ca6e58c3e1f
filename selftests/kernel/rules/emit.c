// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions one by one, the statements of a block, and the functions of a program. */
#include <errno.h>
#include <string.h>
#include "emit.h"

int emit_insn(struct emitter *e, int code, int dst, int src, int off, int imm)
{
	if (e->n >= MAX_INSNS - 64)
		e->too_long = true;
	else
		e->insns[e->n++] = (struct bpf_insn){ .code = (__u8)code,
						      .dst_reg = dst & 0xf,
						      .src_reg = src & 0xf,
						      .off = (__s16)off,
						      .imm = imm };
	return e->n - 1;
}

void emit_mov(struct emitter *e, int dst, int src)
{
	emit_insn(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void mov_imm(struct emitter *e, int dst, int imm)
{
	emit_insn(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

void add_imm(struct emitter *e, int dst, int imm)
{
	emit_insn(e, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm);
}

void emit_load(struct emitter *e, int dst, int base, int off)
{
	emit_insn(e, BPF_LDX | BPF_MEM | BPF_DW, dst, base, off, 0);
}

void emit_store(struct emitter *e, int base, int off, int src)
{
	emit_insn(e, BPF_STX | BPF_MEM | BPF_DW, base, src, off, 0);
}

void emit_address(struct emitter *e, int dst, int base, int off)
{
	emit_mov(e, dst, base);
	add_imm(e, dst, off);
}

void load_map(struct emitter *e, int dst, int fd, int pseudo)
{
	emit_insn(e, BPF_LD | BPF_DW | BPF_IMM, dst, pseudo, 0, fd);
	emit_insn(e, 0, 0, 0, 0, 0);
}

void call_kfunc(struct emitter *e, enum kfunc kfunc)
{
	int id = e->kernel->kfunc[kfunc];

	if (id <= 0)
		e->lacks = kfunc_name(kfunc);
	emit_insn(e, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, id);
}

void call_helper(struct emitter *e, int id)
{
	emit_insn(e, BPF_JMP | BPF_CALL, 0, 0, 0, id);
}

int jump_if(struct emitter *e, int op, int reg, int imm)
{
	return emit_insn(e, BPF_JMP | op | BPF_K, reg, 0, 0, imm);
}

void jump_land(struct emitter *e, int jump)
{
	if (!e->too_long)
		e->insns[jump].off = (__s16)(e->n - 1 - jump);
}

/* Returns the function's number, which is replaced by an offset once all functions are placed. */
static int new_func(struct emitter *e, struct func func)
{
	if (e->nr_funcs == MAX_FUNCS) {
		e->too_long = true;
		return 0;
	}
	e->funcs[e->nr_funcs] = func;
	return e->nr_funcs++;
}

void load_func(struct emitter *e, int dst, struct func func)
{
	load_map(e, dst, new_func(e, func), BPF_PSEUDO_FUNC);
}

static void emit_call(struct emitter *e, int sub)
{
	struct func func = { .body = e->program->subs[sub], .frame = BPF_REG_1 };

	if (e->subs[sub] < 0)
		e->subs[sub] = new_func(e, func);
	emit_mov(e, BPF_REG_1, BPF_REG_9);
	emit_insn(e, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, e->subs[sub]);
}

static void emit_exit(struct emitter *e)
{
	mov_imm(e, BPF_REG_0, 0);
	emit_insn(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Two branches, @jump leads to the second; false if neither reaches the code after them. */
bool emit_branches(struct emitter *e, int jump, const struct block *first,
		   const struct block *second)
{
	bool falls = emit_block(e, first), second_falls;
	int over = -1;

	if (falls)
		over = emit_insn(e, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	jump_land(e, jump);
	second_falls = emit_block(e, second);
	if (falls)
		jump_land(e, over);
	return falls || second_falls;
}

static bool emit_if(struct emitter *e, const struct stmt *s)
{
	int bit = 1 << (e->conditions++ % 30);

	load_map(e, BPF_REG_7, e->kernel->condition, BPF_PSEUDO_MAP_VALUE);
	emit_insn(e, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_7, BPF_REG_7, 0, 0);
	return emit_branches(e, jump_if(e, BPF_JSET, BPF_REG_7, bit), s->b, s->a);
}

static void emit_simple(struct emitter *e, const struct stmt *s)
{
	switch (s->op) {
	case OP_HELPER:
		call_helper(e, BPF_FUNC_ktime_get_ns);
		break;
	case OP_CALL:
		emit_call(e, s->sub);
		break;
	case OP_ITER:
	case OP_REPEAT:
	case OP_LOOP:
	case OP_FOREACH:
		emit_turns(e, s);
		break;
	default:
		if (ops[s->op].feature <= F_IRQ)
			emit_lock_op(e, s);
		else if (ops[s->op].feature <= F_LESS)
			emit_graph_op(e, s);
		else
			emit_rcu_op(e, s);
	}
}

static bool emit_stmt(struct emitter *e, const struct stmt *s)
{
	switch (s->op) {
	case OP_LOCK:
	case OP_LOCK_IRQ:
	case OP_SPIN_LOCK:
		return emit_lock(e, s);
	case OP_IF:
		return emit_if(e, s);
	case OP_LOOKUP:
		return emit_lookup(e, s);
	case OP_NEW:
	case OP_POP:
	case OP_FIRST:
	case OP_REMOVE:
		return emit_acquire(e, s);
	case OP_KPTR:
		return emit_kptr(e, s);
	case OP_EXIT:
		emit_exit(e);
		return false;
	default:
		emit_simple(e, s);
		return true;
	}
}

bool emit_block(struct emitter *e, const struct block *b)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (!emit_stmt(e, &b->stmts[i]))
			return false;
	return true;
}

/* Initially all variables are numbers. */
static void emit_main(struct emitter *e)
{
	int off;

	emit_mov(e, BPF_REG_9, BPF_REG_10);
	emit_store(e, BPF_REG_10, CTX_OFF, BPF_REG_1);
	for (off = VALUE_OFF(0); off >= KPTR_VAR_OFF; off -= 8)
		emit_insn(e, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, off, 0);
	if (emit_block(e, e->program->main))
		emit_exit(e);
}

static void emit_func(struct emitter *e, const struct func *f)
{
	e->loops = e->iters = 0;
	if (f->frame)
		emit_mov(e, BPF_REG_9, f->frame);
	if (f->less)
		emit_mov(e, BPF_REG_8, BPF_REG_1);
	if (f->from)
		emit_store(e, BPF_REG_9, VALUE_OFF(f->set), f->from);
	if (f->trivial || emit_block(e, f->body))
		emit_exit(e);
}

static void calls_resolve(struct emitter *e)
{
	struct bpf_insn *insn;

	for (insn = e->insns; insn < e->insns + e->n; insn++) {
		bool call = insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
		bool func = insn->code == (BPF_LD | BPF_DW | BPF_IMM) &&
			    insn->src_reg == BPF_PSEUDO_FUNC;

		if (call || func)
			insn->imm = e->start[1 + insn->imm] - (int)(insn - e->insns) - 1;
	}
}

int emit_program(struct emitter *e, const struct program *p, const struct kernel *k,
		 struct bpf_insn *insns)
{
	int i;

	memset(e, 0, sizeof(*e));
	memset(e->subs, -1, sizeof(e->subs));
	e->program = p;
	e->kernel = k;
	e->insns = insns;
	emit_main(e);
	for (i = 0; i < e->nr_funcs && !e->too_long; i++) {
		e->start[1 + i] = e->n;
		emit_func(e, &e->funcs[i]);
	}
	if (e->too_long || e->lacks)
		return e->lacks ? -ENOENT : -E2BIG;
	calls_resolve(e);
	return 0;
}
