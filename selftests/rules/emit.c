// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Instructions for a program. r6: the context; r9: main's frame, whose stack has the flags, in a
 * subprogram as well; r10: the frame's own counters and iterator.
 */
#include <stddef.h>
#include <string.h>
#include "rules.h"

#define FLAG_OFF(flag) (-8 * ((flag) + 1))
#define VALUE_OFF      (-40) /* what the look-up found */
#define ITER_OFF       (-48)
#define COUNTER_OFF(d) (-56 - 8 * (d))
#define MAX_LOOPS      8

static const struct kernel *kernel;
static struct bpf_insn *insns;
static int n, loops, conditions;
static bool too_long;

static int put(uint8_t code, uint8_t dst, uint8_t src, int off, int imm)
{
	if (n >= MAX_INSNS - 64)
		too_long = true;
	else
		insns[n++] = (struct bpf_insn){ .code = code,
						.dst_reg = dst & 0xf,
						.src_reg = src & 0xf,
						.off = (int16_t)off,
						.imm = imm };
	return n - 1;
}

static void mov(uint8_t dst, uint8_t src)
{
	put(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void mov_imm(uint8_t dst, int imm)
{
	put(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void address(uint8_t dst, uint8_t base, int off)
{
	mov(dst, base);
	put(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, off);
}

static void call_kfunc(int id)
{
	put(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, id);
}

static void call_helper(int id)
{
	put(BPF_JMP | BPF_CALL, 0, 0, 0, id);
}

static void load_map(uint8_t dst, int fd, uint8_t pseudo)
{
	put(BPF_LD | BPF_DW | BPF_IMM, dst, pseudo, 0, fd);
	put(0, 0, 0, 0, 0);
}

static void land(int jump)
{
	if (!too_long)
		insns[jump].off = (int16_t)(n - 1 - jump);
}

static void load_lock(int lock)
{
	if (lock == NR_LOCKS - 1)
		put(BPF_LDX | BPF_MEM | BPF_DW, 1, 9, VALUE_OFF, 0);
	else
		load_map(1, kernel->lock_maps[lock], BPF_PSEUDO_MAP_VALUE);
}

static bool emit_block(const struct block *b, int *subs);

/* Two ways on from a conditional jump to the second; false if neither comes back. */
static bool emit_branches(int jump, const struct block *first, const struct block *second,
			  int *subs)
{
	bool falls = emit_block(first, subs), second_falls;
	int over = -1;

	if (falls)
		over = put(BPF_JMP | BPF_JA, 0, 0, 0, 0);
	land(jump);
	second_falls = emit_block(second, subs);
	if (falls)
		land(over);
	return falls || second_falls;
}

static bool emit_lock(const struct stmt *s, int *subs)
{
	int jump;

	load_lock(s->lock);
	if (s->op == OP_LOCK_IRQ)
		address(2, 9, FLAG_OFF(s->flag));
	call_kfunc(s->op == OP_LOCK_IRQ ? kernel->lock_irq : kernel->lock);
	jump = put(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 0, 0);
	return emit_branches(jump, s->a, s->b, subs);
}

static bool emit_if(const struct stmt *s, int *subs)
{
	int jump;

	put(BPF_LDX | BPF_MEM | BPF_W, 7, 6, offsetof(struct __sk_buff, mark), 0);
	jump = put(BPF_JMP | BPF_JSET | BPF_K, 7, 0, 0, 1 << (conditions++ % 30));
	return emit_branches(jump, s->b, s->a, subs);
}

static void emit_loop(const struct stmt *s, int *subs)
{
	int top, out, counter = COUNTER_OFF(loops++ % MAX_LOOPS);

	put(BPF_ST | BPF_MEM | BPF_DW, 10, 0, counter, 0);
	top = n;
	put(BPF_LDX | BPF_MEM | BPF_DW, 8, 10, counter, 0);
	out = put(BPF_JMP | BPF_JGE | BPF_K, 8, 0, 0, s->turns);
	put(BPF_ALU64 | BPF_ADD | BPF_K, 8, 0, 0, 1);
	put(BPF_STX | BPF_MEM | BPF_DW, 10, 8, counter, 0);
	if (emit_block(s->a, subs))
		put(BPF_JMP | BPF_JA, 0, 0, top - n - 1, 0);
	land(out);
	loops--;
}

static void emit_iter(void)
{
	int top, out;

	address(1, 10, ITER_OFF);
	mov_imm(2, 0);
	mov_imm(3, 2);
	call_kfunc(kernel->iter_new);
	top = n;
	address(1, 10, ITER_OFF);
	call_kfunc(kernel->iter_next);
	out = put(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0, 0);
	put(BPF_JMP | BPF_JA, 0, 0, top - n - 1, 0);
	land(out);
	address(1, 10, ITER_OFF);
	call_kfunc(kernel->iter_destroy);
}

/* The target is filled in when the subprograms have their places. */
static void emit_call(const struct stmt *s, int *subs)
{
	mov(1, 6);
	mov(2, 9);
	put(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1 - s->sub);
	subs[s->sub] = 1;
}

static void emit_exit(void)
{
	mov_imm(0, 0);
	put(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void emit_simple(const struct stmt *s)
{
	switch (s->op) {
	case OP_UNLOCK:
	case OP_UNLOCK_OOO:
		load_lock(s->lock);
		call_kfunc(s->op == OP_UNLOCK ? kernel->unlock : kernel->unlock_ooo);
		break;
	case OP_UNLOCK_IRQ:
		load_lock(s->lock);
		address(2, 9, FLAG_OFF(s->flag));
		call_kfunc(kernel->unlock_irq);
		break;
	case OP_SAVE:
	case OP_RESTORE:
		address(1, 9, FLAG_OFF(s->flag));
		call_kfunc(s->op == OP_SAVE ? kernel->save : kernel->restore);
		break;
	case OP_SMASH:
		put(BPF_ST | BPF_MEM | BPF_DW, 9, 0, FLAG_OFF(s->flag), 0);
		break;
	case OP_HELPER:
		call_helper(BPF_FUNC_ktime_get_ns);
		break;
	default:
		emit_iter();
	}
}

/* Whether what follows is reached. */
static bool emit_stmt(const struct stmt *s, int *subs)
{
	switch (s->op) {
	case OP_LOCK:
	case OP_LOCK_IRQ:
		return emit_lock(s, subs);
	case OP_IF:
		return emit_if(s, subs);
	case OP_LOOP:
		emit_loop(s, subs);
		return true;
	case OP_CALL:
		emit_call(s, subs);
		return true;
	case OP_EXIT:
		emit_exit();
		return false;
	default:
		emit_simple(s);
		return true;
	}
}

static bool emit_block(const struct block *b, int *subs)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (!emit_stmt(&b->stmts[i], subs))
			return false;
	return true;
}

static void emit_prologue(void)
{
	mov(6, 1);
	mov(9, 10);
	put(BPF_ST | BPF_MEM | BPF_W, 10, 0, ITER_OFF, 0);
	address(2, 10, ITER_OFF);
	load_map(1, kernel->lock_maps[NR_LOCKS - 1], BPF_PSEUDO_MAP_FD);
	call_helper(BPF_FUNC_map_lookup_elem);
	put(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0);
	emit_exit();
	put(BPF_STX | BPF_MEM | BPF_DW, 10, 0, VALUE_OFF, 0);
}

static void place_sub(int sub, int start)
{
	int i;

	for (i = 0; i < start; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == BPF_PSEUDO_CALL &&
		    insns[i].imm == -1 - sub)
			insns[i].imm = start - i - 1;
}

int emit(const struct program *p, const struct kernel *k, struct bpf_insn *to)
{
	int i, subs[NR_SUBS] = { 0 }, none[NR_SUBS];

	kernel = k;
	insns = to;
	n = loops = conditions = 0;
	too_long = false;
	emit_prologue();
	if (emit_block(p->main, subs))
		emit_exit();
	for (i = 0; i < NR_SUBS; i++) {
		if (!subs[i])
			continue;
		place_sub(i, n);
		mov(6, 1);
		mov(9, 2);
		if (emit_block(p->subs[i], none))
			emit_exit();
	}
	return too_long ? 0 : n;
}
