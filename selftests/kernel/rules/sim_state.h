/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the simulated program, shared by sim*.c. */
#ifndef RQSPIN_RULES_SIM_STATE_H
#define RQSPIN_RULES_SIM_STATE_H

#include "sim.h"

#define MAX_SECTIONS 20
#define MAX_STATES   512

enum kind { RES_LOCK, IRQ_LOCK, PLAIN_LOCK, IRQ_OFF };

/* Identities: a global lock has its own; a lock that the kernel distinguishes gets a fresh one. */
#define ID_CALLBACK \
	(1 + NR_LOCKS) /* all values in callbacks, if the kernel does not distinguish them */
#define ID_FRESH (ID_CALLBACK + 1)

struct section {
	unsigned char kind, id;
};

enum holding { NOTHING, OWNED, BORROWED };

struct object {
	unsigned char holding, leaf, id;
};

enum kptr { KPTR_NONE, KPTR_UNTRUSTED, KPTR_RCU };

struct state {
	unsigned char n, rcu, iters;
	unsigned char rounds;		/* log2 of all turns of loops begun with irqs off */
	unsigned char less;		/* 1 + root, within less() */
	unsigned char kptr;		/* enum kptr */
	unsigned char owner[NR_FLAGS];	/* 1 + index of the section whose flags it holds, or 0 */
	unsigned char value[NR_VALUES]; /* identity, 0: not a map value */
	struct object object[NR_OBJECTS];
	struct section sections[MAX_SECTIONS];
};

/* The states in which a point of the program can be reached. */
struct states {
	int n;
	struct state all[MAX_STATES];
};

struct sim {
	const struct program *program;
	const struct answers *answers;
	enum rule ignored;
	struct verdict verdict;
};

/* Record that a rule is broken; false if the rule is ignored. */
bool sim_broke(struct sim *sim, enum rule rule);

/* Both give up with R_NO_VERDICT. */
struct states *new_states(struct sim *sim);
void sim_reach(struct sim *sim, struct states *set, const struct state *s);

unsigned char fresh_id(const struct state *s);
bool holds_kind(const struct state *s, enum kind kind);
bool holds_lock(const struct state *s);
bool holds_id(const struct state *s, int id);

/* sim_paths.c: all paths through a block. */
void run_block(struct sim *sim, const struct block *b, const struct state *from, struct states *to);

/* sim_loops.c: statements that run a block several times. */
void run_repeat(struct sim *sim, const struct stmt *st, const struct state *from,
		struct states *to);
void run_iter(struct sim *sim, const struct stmt *st, const struct state *from, struct states *to);
void run_callback(struct sim *sim, const struct stmt *st, const struct state *from,
		  struct states *to);
void run_add(struct sim *sim, const struct stmt *st, const struct state *from, struct states *to);

/* sim_locks.c: locks, interrupts, sleeping. */
void sim_lock(struct sim *sim, struct state *s, const struct stmt *st);
void sim_lock_op(struct sim *sim, struct state *s, const struct stmt *st);
void sim_irq_op(struct sim *sim, struct state *s, const struct stmt *st);
void sim_call(struct sim *sim, const struct state *s);
void sim_lookup(struct sim *sim, struct state *s, const struct stmt *st);
void sim_iter(struct sim *sim, const struct state *s);
/* The increase of the state's rounds by a loop of so many turns. */
unsigned char sim_rounds(struct sim *sim, const struct state *s, int turns);

/* sim_graph.c: objects, lists and trees. */
void sim_object_op(struct sim *sim, struct state *s, const struct stmt *st);
void sim_acquire(struct sim *sim, struct state *s, const struct stmt *st);
void lose_borrowed(struct state *s);

/* sim_rcu.c: RCU pointers, sleeping, the values of map iterators. */
void sim_rcu_op(struct sim *sim, struct state *s, const struct stmt *st);
void sim_kptr(struct sim *sim, struct state *s);
void leave_rcu_protection(struct sim *sim, struct state *s, enum kind left);

#endif
