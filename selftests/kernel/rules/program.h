/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A random program: blocks of statements. gen*.c writes it, sim*.c judges it by the rules, emit*.c
 * turns it into instructions, kernel.c and load.c ask the verifier, rules.c compares.
 */
#ifndef RQSPIN_RULES_PROGRAM_H
#define RQSPIN_RULES_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Locks by number. Map values have a list and a tree beside the lock, so the first NR_ROOTS numbers
 * name roots as well. Objects are linked into lists (items) or trees (leaves).
 */
enum lock_number {
	LOCK_GLOBAL,		      /* resilient, in two global variables */
	LOCK_VALUE = LOCK_GLOBAL + 2, /* resilient, in the map value that a variable points to */
	LOCK_PLAIN = LOCK_VALUE + 2,  /* bpf_spin_lock, in two global variables */
	LOCK_ITEM = LOCK_PLAIN + 2,   /* resilient, in the object that a variable points to */
	LOCK_LEAF = LOCK_ITEM + 2,    /* bpf_spin_lock, in an object */
	NR_LOCKS = LOCK_LEAF + 2,
};

#define NR_ROOTS    LOCK_ITEM
#define NR_FLAGS    3
#define NR_VALUES   2
#define NR_ELEMENTS 2 /* elements of each map */
#define NR_ITEMS    2 /* the objects after them are leaves */
#define NR_OBJECTS  4
#define NR_SUBS	    2
#define MAX_STMTS   12
#define MAX_BLOCKS  256
#define MANY_TURNS  (1 << 22) /* two such loops nested run for days */

enum op {
	OP_LOCK,	/* lock, two ways on: a when it is taken, b when it is not */
	OP_LOCK_IRQ,	/* the same with the flag */
	OP_UNLOCK,	/* lock */
	OP_UNLOCK_OOO,	/* lock, which need not be the last one */
	OP_UNLOCK_IRQ,	/* lock, flag */
	OP_SPIN_LOCK,	/* plain lock, then a */
	OP_SPIN_UNLOCK, /* plain lock */
	OP_SAVE,	/* flag */
	OP_RESTORE,	/* flag */
	OP_SMASH,	/* writes over the flag's variable */
	OP_HELPER,	/* a call that is forbidden under any lock */
	OP_SLEEP,	/* a call that may sleep */
	OP_ITER,	/* bpf_iter_num over turns numbers, with a as the body */
	OP_IF,		/* a or b, chosen at run time */
	OP_REPEAT,	/* a, repeated turns times */
	OP_LOOP,	/* bpf_loop() with a as the callback, up to turns times */
	OP_FOREACH,	/* bpf_for_each_map_elem(): sets the value variable, then a */
	OP_CALL,	/* sub */
	OP_EXIT,
	OP_LOOKUP,   /* sets the value variable: a, or b if nothing is found */
	OP_NEW,	     /* allocates the object: a, or b if there is no memory */
	OP_DROP,     /* object */
	OP_TOUCH,    /* reads the object */
	OP_PUSH,     /* object to the list of root */
	OP_POP,	     /* object from the list of root: a, or b if it is empty */
	OP_ADD,	     /* object to the tree of root, with a in less() */
	OP_FIRST,    /* object: the first in the tree of root, not removed: a, or b if empty */
	OP_REMOVE,   /* object from the tree of root: a, or b if it is not found */
	OP_LESS_ADD, /* in less(): one more reference to its argument, added to the tree of root */
	OP_RCU_LOCK,
	OP_RCU_UNLOCK,
	OP_KPTR,	/* loads the kptr of a map value: a, or b if it is NULL */
	OP_KPTR_USE,	/* passes that kptr to a kfunc that demands RCU protection */
	OP_VALUE_READ,	/* in map iterators: loads from the current value */
	OP_VALUE_WRITE, /* stores to the current value */
	OP_VALUE_KEEP,	/* puts its address into a value variable */
	NR_OPS,
};

/* Type of program. Map iterators differ in the content of their map's values. */
enum env {
	ENV_TC,
	ENV_SYSCALL,
	ENV_FENTRY,
	ENV_ITER_RES,
	ENV_ITER_PLAIN,
	ENV_ITER_NUMBER,
	NR_ENVS
};

/* Features that a kernel may lack; coverage is counted by feature. */
enum feature {
	F_RESILIENT,
	F_OOO,
	F_PLAIN,
	F_IRQ,
	F_FLOW,
	F_VALUE,
	F_ITER,
	F_LOOP,
	F_FOREACH,
	F_OBJECT,
	F_OBJECT_LOCK,
	F_LIST,
	F_TREE,
	F_LESS,
	F_SLEEP,
	F_RCU,
	F_KPTR,
	F_MAP_ITER,
	F_NESTED,
	NR_FEATURES,
};

struct block;

struct stmt {
	enum op op;
	int lock, flag, turns, sub, obj, root, value;
	struct block *a, *b;
};

struct block {
	int n;
	bool inner; /* in a subprogram or a callback, where no statement may end the program */
	struct stmt stmts[MAX_STMTS];
};

struct program {
	enum env env;
	struct block blocks[MAX_BLOCKS];
	int nr_blocks;
	struct block *main, *subs[NR_SUBS];
};

/* Operands as letters: l(ock) f(lag) t(urns) s(ub) o(bject) r(oot) v(alue variable). */
struct op_info {
	const char *name, *operands;
	int blocks;
	enum feature feature;
};

extern const struct op_info ops[NR_OPS];
extern const char *const env_names[NR_ENVS];

static inline bool is_plain_lock(int lock)
{
	return (lock >= LOCK_PLAIN && lock < LOCK_ITEM) || lock >= LOCK_LEAF;
}

static inline bool is_map_iter(enum env env)
{
	return env >= ENV_ITER_RES;
}

static inline bool is_leaf(int object)
{
	return object >= NR_ITEMS;
}

/* A new empty block or statement; NULL if there is no room. */
struct block *new_block(struct program *p);
struct stmt *add_stmt(struct block *b, enum op op);

#endif
