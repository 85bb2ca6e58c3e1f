// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>

#include "check/arena.h"
#include "check/live.h"

#define PROBE_ATOMIC 0xe0 /* what the verifier makes of BPF_ATOMIC in an arena */

static bool is_lock(const struct check_prog *p, __u32 pc)
{
	const struct bpf_insn *insn = &p->insns[pc];
	const char *name = NULL;
	__u32 callee;

	if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != BPF_PSEUDO_CALL)
		return false;
	callee = live_callee(p, pc);
	if (callee != ~0U)
		name = check_function(p, callee);
	return name && strstr(name, "arena_") && strstr(name, "lock") && !strstr(name, "unlock");
}

/* Whoever takes a lock sets a word and learns what it was. */
static bool is_exchange(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == PROBE_ATOMIC &&
	       (insn->imm == BPF_CMPXCHG || insn->imm == BPF_XCHG ||
		insn->imm == (BPF_OR | BPF_FETCH));
}

void arena_find(const struct check_prog *prog, struct bounds *bounds)
{
	for (__u32 pc = 0; pc < prog->nr_insns; pc++) {
		const struct bpf_insn *insn = &prog->insns[pc];

		bounds->arena_locks += is_lock(prog, pc);
		bounds->arena_atomics += is_exchange(insn);
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			pc++;
	}
}
