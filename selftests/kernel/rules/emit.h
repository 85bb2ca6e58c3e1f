/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instructions for a program. */
#ifndef RQSPIN_RULES_EMIT_H
#define RQSPIN_RULES_EMIT_H

#include <linux/bpf.h>
#include "kernel.h"
#include "program.h"

#define MAX_INSNS 8192
#define MAX_FUNCS 64

/* A function that is emitted after main: a subprogram, a callback or less(). */
struct func {
	const struct block *body;
	int frame;	    /* register of the argument with main's frame, 0: none */
	int set, from;	    /* value variable that is set to argument @from, 0: none */
	bool trivial, less; /* less() of a less_add; any less() */
};

struct emitter {
	const struct kernel *kernel;
	const struct program *program;
	struct bpf_insn *insns;
	int n, loops, iters, conditions;
	struct func funcs[MAX_FUNCS];
	int nr_funcs, start[MAX_FUNCS + 1]; /* main first */
	int subs[NR_SUBS];		    /* index in funcs, or -1 */
	const char *lacks;		    /* name of a kfunc that the kernel lacks */
	bool too_long;
};

/* 0, -E2BIG, or -ENOENT where the kernel lacks a kfunc. The functions are in e->start. */
int emit_program(struct emitter *e, const struct program *p, const struct kernel *k,
		 struct bpf_insn *insns);

/* For emit_*.c. r9: main's frame, which has the variables; r10: counters, iterators, a key. */
#define COUNTER_OFF(i) (-8 * ((i) + 1))
#define NR_COUNTERS    5
#define ITER_OFF(i)    (-48 - 8 * (i))
#define NR_ITERS       5
#define KEY_OFF_STACK  (-88)
#define FLAG_OFF(i)    (-96 - 8 * (i))
#define VALUE_OFF(i)   (-120 - 8 * (i))
#define OBJECT_OFF(i)  (-136 - 8 * (i))
#define KPTR_VAR_OFF   (-168)
#define CTX_OFF	       (-176)

int emit_insn(struct emitter *e, int code, int dst, int src, int off, int imm);
void emit_mov(struct emitter *e, int dst, int src);
void mov_imm(struct emitter *e, int dst, int imm);
void add_imm(struct emitter *e, int dst, int imm);
void emit_load(struct emitter *e, int dst, int base, int off);
void emit_store(struct emitter *e, int base, int off, int src);
void emit_address(struct emitter *e, int dst, int base, int off);
void load_map(struct emitter *e, int dst, int fd, int pseudo);
void call_kfunc(struct emitter *e, enum kfunc kfunc);
void call_helper(struct emitter *e, int id);
int jump_if(struct emitter *e, int op, int reg, int imm);
void jump_land(struct emitter *e, int jump);
void load_func(struct emitter *e, int dst, struct func func);

/* Both return whether the code after the block is reached. */
bool emit_block(struct emitter *e, const struct block *b);
bool emit_branches(struct emitter *e, int jump, const struct block *first,
		   const struct block *second);

void load_place(struct emitter *e, int dst, int lock, int off);
void emit_lock_op(struct emitter *e, const struct stmt *s);
bool emit_lock(struct emitter *e, const struct stmt *s);
void emit_graph_op(struct emitter *e, const struct stmt *s);
bool emit_acquire(struct emitter *e, const struct stmt *s);
bool emit_kptr(struct emitter *e, const struct stmt *s);
bool emit_lookup(struct emitter *e, const struct stmt *s);
void emit_rcu_op(struct emitter *e, const struct stmt *s);
void emit_turns(struct emitter *e, const struct stmt *s);

#endif
