/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random programs that lock and turn interrupts off, judged twice: by the verifier, and by a plain
 * simulation of the rules that takes every path. generate.c writes a program, simulate.c judges it,
 * emit.c makes instructions of it, rules.c compares.
 */
#ifndef RQSPIN_RULES_H
#define RQSPIN_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/bpf.h>

#define NR_LOCKS     3 /* two globals, and the value of a look-up */
#define NR_FLAGS     3
#define NR_SUBS	     2
#define MAX_STMTS    12
#define MAX_BLOCKS   256
#define MAX_INSNS    8192
#define MAX_SECTIONS 64

enum op {
	OP_LOCK,       /* lock, two ways on: a when it is taken, b when it is not */
	OP_LOCK_IRQ,   /* the same with the flag */
	OP_UNLOCK,     /* lock */
	OP_UNLOCK_OOO, /* lock, which need not be the last one */
	OP_UNLOCK_IRQ, /* lock, flag */
	OP_SAVE,       /* flag */
	OP_RESTORE,    /* flag */
	OP_SMASH,      /* writes over the flag's variable */
	OP_HELPER,     /* a call that no lock allows */
	OP_ITER,       /* iterates over numbers: allowed everywhere */
	OP_IF,	       /* a or b, nobody knows which */
	OP_LOOP,       /* turns times a */
	OP_CALL,       /* sub */
	OP_EXIT,
};

struct block;

struct stmt {
	enum op op;
	int lock, flag, turns, sub;
	struct block *a, *b;
};

struct block {
	int n;
	struct stmt stmts[MAX_STMTS];
};

struct program {
	struct block blocks[MAX_BLOCKS];
	int nr_blocks;
	struct block *main, *subs[NR_SUBS];
};

/* What a program needs from the kernel: file descriptors and BTF ids. */
struct kernel {
	int lock_maps[NR_LOCKS];
	int lock, unlock, lock_irq, unlock_irq, save, restore;
	int iter_new, iter_next, iter_destroy;
	int unlock_ooo; /* not positive: the kernel has none */
};

/* @ooo: with releases out of order; without, the programs of a seed are the same everywhere. */
void generate(struct program *p, uint64_t seed, bool ooo);
void print_program(const struct program *p, FILE *to);

/* NULL if no path breaks a rule, otherwise the rule, or no_verdict: there was no room to tell. */
extern const char no_verdict[];
const char *simulate(const struct program *p);

/* The number of instructions, 0 if they are too many. */
int emit(const struct program *p, const struct kernel *k, struct bpf_insn *insns);

#endif
