/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs do with locks: the result of the walk through each of them. */
#ifndef RQSPIN_CHECK_RECORD_H
#define RQSPIN_CHECK_RECORD_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "check/progs.h"
#include "check/sym.h"
#include "names/keytext.h"

/* LOCK_ARENA: somewhere in an arena; at a known place in it: LOCK_MAP. */
enum lock_kind { LOCK_MAP, LOCK_OBJECT, LOCK_ARENA, LOCK_UNKNOWN };

/**
 * struct lock - a lock as a program sees it
 * @map: number of its map in the set
 * @type: id of an object's type in the BTF of its program, 0: not known
 * @prog: number of the program, for @type and @sym
 * @off: in the map's value or in the object
 * @key: as text, "" if it is not known
 * @sym: equal in one program: equal locks; 0: not known to be equal to anything
 */
struct lock {
	enum lock_kind kind;
	__u32 map, type, prog;
	__s32 off;
	sym_t sym;
	char key[KEYTEXT_SIZE];
};

/* How code runs: as the program itself, or as a function that the kernel calls later. */
enum run {
	RUN_PROGRAM,
	RUN_TIMER,
	RUN_WORK,
	RUN_HANDLER, /* a handler of the program's exceptions: runs where the program does */
	RUN_SOMEWHERE,
};

/**
 * struct site - an instruction that takes a lock
 * @irqs_off: interrupts are off while it is held
 * @plain: bpf_spin_lock()
 * @run: how the kernel got there
 */
struct site {
	__u32 prog, pc;
	struct lock lock;
	bool irqs_off, plain;
	enum run run;
	__u32 next;
};

#define EDGE_CHOICES 4

/*
 * A condition on a constant on the path to an edge. op: as in jumps, with the number on the right
 * if above, else on the left.
 */
struct choice {
	__u64 place, number;
	__u8 op;
	bool above;
};

/**
 * struct edge - a lock that is taken while another one is held
 * @order: ORDER_* of order.h: how the program has compared addresses or keys
 * @differ: the program has made sure that the two locks are not one
 * @step: the second key is the first one plus a number
 * @ring: the second key is such a sum modulo something
 * @gates: other locks that are held at the same time
 * @choices: conditions on constants, which are the same for all programs; there may be more
 */
struct edge {
	struct site from, to;
	unsigned int order;
	bool differ, step, ring;
	unsigned int nr_gates;
	struct lock *gates;
	unsigned int nr_choices;
	struct choice choices[EDGE_CHOICES];
	__u32 next;
};

enum act_kind { ACT_AA, ACT_RETRY, ACT_IGNORED };

/**
 * struct act - a lock that is wanted at the second site, after something happened at the first
 * @loose: only seen behind a function that was followed once for many calls, which differ
 */
struct act {
	enum act_kind kind;
	struct site first, second;
	bool loose;
};

/**
 * struct use - an operation that takes a lock of its map
 * @at: where; of its lock only the map counts
 * @op: the operation's name in errors.tsv; a constant string
 */
struct use {
	struct site at;
	const char *op;
	__u32 next;
};

#define RECORD_BUCKETS 4096

/**
 * struct record - all sites, edges, acts and uses
 * @sites_at: for each hash, 1 plus the number of the latest site, whose next is the one before it
 * @edges_at, @uses_at: the same for edges and uses
 */
struct record {
	__u32 sites_at[RECORD_BUCKETS], edges_at[RECORD_BUCKETS], uses_at[RECORD_BUCKETS];
	struct site *sites;
	size_t nr_sites;
	struct edge *edges;
	size_t nr_edges;
	struct act *acts;
	size_t nr_acts;
	struct use *uses;
	size_t nr_uses;
};

/* Each is stored once, as a copy. 0 or -ENOMEM. */
int record_site(struct record *r, const struct site *site);
int record_edge(struct record *r, const struct edge *edge);
int record_act(struct record *r, const struct act *act);
int record_use(struct record *r, const struct use *use);
void record_free(struct record *r);

/* Do the two edges have the same choices, in any order? */
bool edge_choices_equal(const struct edge *a, const struct edge *b);

bool lock_equal(const struct lock *a, const struct lock *b);

#endif
