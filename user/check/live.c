// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check/live.h"
#include "check/progs.h"

#define BIT(reg)    (1U << (reg))
#define ARGS	    (BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5))
#define ALWAYS	    (BIT(10) | BIT(11))
#define IS_WIDE(in) ((in)->code == (BPF_LD | BPF_IMM | BPF_DW))

static bool is_jump(const struct bpf_insn *insn)
{
	__u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

__u32 live_target(const struct check_prog *prog, __u32 pc)
{
	const struct bpf_insn *insn = &prog->insns[pc];
	bool far = insn->code == (BPF_JMP32 | BPF_JA);

	return pc + 1 + (far ? insn->imm : insn->off);
}

__u32 live_callee(const struct check_prog *prog, __u32 pc)
{
	const struct bpf_insn *insn = &prog->insns[pc];
	__u32 target = pc + 1 + insn->off;

	if (insn->imm >= 0 && (__u32)insn->imm < prog->nr_funcs)
		target = prog->funcs[insn->imm].insn_off;
	return target < prog->nr_insns ? target : ~0U;
}

static __u32 reads_of(const struct bpf_insn *insn)
{
	bool x = BPF_SRC(insn->code) == BPF_X;

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return (x ? BIT(insn->src_reg) : 0) |
		       (BPF_OP(insn->code) == BPF_MOV ? 0 : BIT(insn->dst_reg));
	case BPF_LDX:
		return BIT(insn->src_reg);
	case BPF_ST:
		return BIT(insn->dst_reg);
	case BPF_STX:
		return BIT(insn->dst_reg) | BIT(insn->src_reg) | BIT(0);
	case BPF_LD:
		return IS_WIDE(insn) ? 0 : BIT(6) | BIT(insn->src_reg);
	}
	if (BPF_OP(insn->code) == BPF_CALL)
		return ARGS;
	if (BPF_OP(insn->code) == BPF_EXIT)
		return BIT(0);
	if (BPF_OP(insn->code) == BPF_JA)
		return 0;
	return BIT(insn->dst_reg) | (x ? BIT(insn->src_reg) : 0);
}

static __u32 writes_of(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LDX:
		return BIT(insn->dst_reg);
	case BPF_LD:
		return IS_WIDE(insn) ? BIT(insn->dst_reg) : BIT(0);
	case BPF_JMP:
		return BPF_OP(insn->code) == BPF_CALL ? BIT(0) | ARGS : 0;
	}
	return 0;
}

static __u32 live_after(const struct check_prog *prog, const __u16 *live, __u32 pc)
{
	const struct bpf_insn *insn = &prog->insns[pc];
	__u32 next = pc + (IS_WIDE(insn) ? 2 : 1), after = 0;

	if (insn->code == (BPF_JMP | BPF_EXIT))
		return 0;
	if (is_jump(insn) && live_target(prog, pc) < prog->nr_insns)
		after |= live[live_target(prog, pc)];
	if (!(is_jump(insn) && BPF_OP(insn->code) == BPF_JA) && next < prog->nr_insns)
		after |= live[next];
	return after & ~LIVE_MEET;
}

static void mark_meetings(const struct check_prog *prog, __u16 *live)
{
	for (__u32 pc = 0; pc < prog->nr_insns; pc++) {
		const struct bpf_insn *insn = &prog->insns[pc];

		if (is_jump(insn) && live_target(prog, pc) < prog->nr_insns)
			live[live_target(prog, pc)] |= LIVE_MEET;
		if (IS_WIDE(insn))
			pc++;
	}
	for (__u32 i = 0; i < prog->nr_funcs; i++)
		if (prog->funcs[i].insn_off < prog->nr_insns)
			live[prog->funcs[i].insn_off] |= LIVE_MEET;
}

static bool live_sweep(const struct check_prog *prog, __u16 *live)
{
	bool changed = false;

	for (__u32 pc = prog->nr_insns; pc-- > 0;) {
		const struct bpf_insn *insn = &prog->insns[pc];
		__u16 now = (live_after(prog, live, pc) & ~writes_of(insn)) | reads_of(insn) |
			    ALWAYS | (live[pc] & LIVE_MEET);

		changed |= now != live[pc];
		live[pc] = now;
	}
	return changed;
}

__u16 *live_find(const struct check_prog *prog)
{
	__u16 *live = calloc(prog->nr_insns + 1, sizeof(*live));

	if (!live)
		return NULL;
	mark_meetings(prog, live);
	while (live_sweep(prog, live))
		;
	return live;
}
