/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Lock ranks, checked by the compiler: inside a guard of some rank only locks
 * of higher rank may be taken.
 *
 *	RES_LOCK_RANK(tree, 1);
 *	RES_LOCK_RANK(leaf, 2);
 *
 *	res_guard_ranked(tree, &t->lock) {
 *		res_guard_ranked(leaf, &l->lock) {
 *			...
 *
 * The other way round does not compile:
 *	incompatible pointer types initializing 'struct taking_rank_tree *'
 *	with an expression of type 'struct while_holding_rank_leaf *'
 *
 * The check sees only scopes of one function; a function that is called with a
 * lock held declares that by res_rank_held(). The failure block of a guard counts
 * as inside the guard: leave it, as one should, before taking a lower lock.
 *
 * Idea: lock hierarchies as in lockdep's classes and in Clang's thread safety
 * attributes (acquired_after), done with C scopes because BPF code is C.
 */
#ifndef RQSPIN_RES_LOCK_RANK_BPF_H
#define RQSPIN_RES_LOCK_RANK_BPF_H

#include <rqspin/res_guard.bpf.h>

/* A rank is the size of a struct that never exists; its tag is the name in the error. */
struct rqspin_no_rank {
	char rank[0];
};

/* Never defined and only used for its type: each guard shadows it. */
extern struct rqspin_no_rank *rqspin_rank_held;

#pragma clang diagnostic error "-Wincompatible-pointer-types"

/**
 * RES_LOCK_RANK() - declare a rank
 * @name: a C identifier
 * @number: greater than 0 and constant; higher ranks are taken inside lower ones
 */
#define RES_LOCK_RANK(name, number)                                            \
	_Static_assert((number) > 0, "rank " #name " must be greater than 0"); \
	struct taking_rank_##name {                                            \
		char rank[number];                                             \
	};                                                                     \
	struct while_holding_rank_##name {                                     \
		char rank[number];                                             \
	}

/* Has the held rank's type if that rank is too high: the compiler's error then names both. */
#define rqspin_rank_check(name)                                                              \
	__builtin_choose_expr(sizeof(struct taking_rank_##name) > sizeof(*rqspin_rank_held), \
			      (struct taking_rank_##name *)0, rqspin_rank_held)

#define rqspin_rank_scope(name)                                                      \
	for (struct taking_rank_##name *rqspin_rank_taken = rqspin_rank_check(name), \
				       *rqspin_rank_once = (void *)1;                \
	     rqspin_rank_once; rqspin_rank_once = rqspin_rank_taken)                 \
		for (struct while_holding_rank_##name *rqspin_rank_held = (void *)1; \
		     rqspin_rank_held; rqspin_rank_held = (void *)0)

/**
 * res_guard_ranked() - res_guard() of a ranked lock
 * @name: rank declared by RES_LOCK_RANK()
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 *
 * A compile error names both ranks unless @name is higher than the rank of the
 * guard around it. The block and res_guard_failed() follow.
 */
#define res_guard_ranked(name, lock_ptr) rqspin_rank_scope(name) res_guard(lock_ptr)

/**
 * res_guard_ranked_irqsave() - res_guard_irqsave() of a ranked lock
 * @name: as for res_guard_ranked()
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 */
#define res_guard_ranked_irqsave(name, lock_ptr) rqspin_rank_scope(name) res_guard_irqsave(lock_ptr)

/**
 * res_rank_held() - declare a lock of this rank as held from here to the block's end
 * @name: rank declared by RES_LOCK_RANK()
 *
 * A declaration without code, for functions that are called with a lock held.
 */
#define res_rank_held(name) \
	struct while_holding_rank_##name *rqspin_rank_held __attribute__((unused))

#endif /* RQSPIN_RES_LOCK_RANK_BPF_H */
