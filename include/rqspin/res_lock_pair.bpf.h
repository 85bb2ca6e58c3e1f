/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Two locks at once, always in the same order, so that two programs that name
 * them in different orders cannot deadlock each other (ABBA).
 *
 *	struct res_pair pair;
 *	int err = res_pair_lock(&pair, &from->lock, &to->lock);
 *
 *	if (err)
 *		return err;
 *	...
 *	res_pair_unlock(&pair);
 *
 * The order is that of the addresses for locks met at run time (map values,
 * objects), or that of the declarations for globals declared with
 * RES_ORDERED_LOCK(). One pair of locks must be ordered one way everywhere.
 *
 * Include res_spin_fallback.bpf.h, if at all, before this file.
 *
 * Idea: double_rq_lock() and lock_two_nondirectories() in the kernel.
 */
#ifndef RQSPIN_RES_LOCK_PAIR_BPF_H
#define RQSPIN_RES_LOCK_PAIR_BPF_H

#include <rqspin/res_guard.bpf.h>

/**
 * struct res_pair - two held locks, on the program's stack
 * @first: lock taken first, released last
 * @second: lock taken second
 * @failed: after an error, the lock that was not acquired: @first, or @second if
 *	@first was held until the error; all three are equal if both are one lock
 */
struct res_pair {
	struct bpf_res_spin_lock *first;
	struct bpf_res_spin_lock *second;
	struct bpf_res_spin_lock *failed;
};

/* Macros, so that the line of a failure is the user's: see rqspin_acquire(). */
#define rqspin_pair_take(pair)                                                 \
	({                                                                     \
		struct res_pair *rqspin_taken = (pair);                        \
		int rqspin_pair_err = res_spin_lock(rqspin_taken->first);      \
                                                                               \
		rqspin_taken->failed = rqspin_taken->first;                    \
		if (!rqspin_pair_err) {                                        \
			rqspin_pair_err = res_spin_lock(rqspin_taken->second); \
			if (rqspin_pair_err) {                                 \
				res_spin_unlock(rqspin_taken->first);          \
				rqspin_taken->failed = rqspin_taken->second;   \
			}                                                      \
		}                                                              \
		rqspin_pair_err;                                               \
	})

/* False if both are one lock. */
static __always_inline bool rqspin_pair_order(struct res_pair *pair, struct bpf_res_spin_lock *a,
					      struct bpf_res_spin_lock *b)
{
	struct bpf_res_spin_lock *first = a, *second = b;

	if (a == b) {
		pair->first = pair->second = pair->failed = a;
		return false;
	}
	if (b < a) {
		first = b;
		second = a;
		/* One branch for both: the verifier would follow two with different results. */
		asm volatile("" : "+r"(first), "+r"(second));
	}
	pair->first = first;
	pair->second = second;
	return true;
}

/**
 * res_pair_lock() - take two locks in the order of their addresses
 * @pair: struct res_pair *, filled for res_pair_unlock(); on the stack
 * @a: struct bpf_res_spin_lock *, one lock, evaluated once
 * @b: the other, evaluated once
 *
 * Return: 0 with both locks held, or a negative errno with none of them held:
 * as res_spin_lock(), and -RQSPIN_EDEADLK at once if both are the same lock.
 * @pair contains the lock that failed; res_scope_fail_pair() reports it.
 * Context: as res_spin_lock(). Fetch @a and @b by one look-up each: if both are
 * one pointer, the verifier refuses the program.
 */
#define res_pair_lock(pair, a, b)                                    \
	rqspin_checked(({                                            \
		struct res_pair *rqspin_pair = (pair);               \
		int rqspin_both = -RQSPIN_EDEADLK;                   \
                                                                     \
		if (rqspin_pair_order(rqspin_pair, a, b))            \
			rqspin_both = rqspin_pair_take(rqspin_pair); \
		else                                                 \
			rqspin_note_failure(rqspin_pair->failed);    \
		rqspin_both;                                         \
	}))

/**
 * res_pair_unlock() - release both locks, the one taken last first
 * @pair: filled by res_pair_lock() or res_pair_lock_ordered()
 */
static __always_inline void res_pair_unlock(struct res_pair *pair)
{
	res_spin_unlock(pair->second);
	res_spin_unlock(pair->first);
}

/**
 * RES_ORDERED_LOCK() - define a global lock whose place in the order is this line
 * @name: of the variable; its section (and map) is ".data.<name>"
 */
#define RES_ORDERED_LOCK(name)                \
	enum { name##__order = __COUNTER__ }; \
	struct bpf_res_spin_lock name __hidden SEC(".data." #name)

/**
 * res_pair_lock_ordered() - take two globals in the order of their declarations
 * @pair: struct res_pair *, filled for res_pair_unlock()
 * @a: name of a lock defined by RES_ORDERED_LOCK()
 * @b: name of another; the same name twice is a compile error
 *
 * The order is known to the compiler, so the verifier follows one path.
 *
 * Return: as res_pair_lock().
 */
#define res_pair_lock_ordered(pair, a, b)                                                      \
	rqspin_checked(({                                                                      \
		_Static_assert((int)a##__order != (int)b##__order, "a pair of one lock: " #a); \
		(pair)->first = (int)a##__order < (int)b##__order ? &a : &b;                   \
		(pair)->second = (int)a##__order < (int)b##__order ? &b : &a;                  \
		rqspin_pair_take(pair);                                                        \
	}))

struct rqspin_guard_pair {
	struct res_pair pair;
	int err;
	int once;
};

static __always_inline void rqspin_guard_pair_exit(struct rqspin_guard_pair *g)
{
	if (!g->err)
		res_pair_unlock(&g->pair);
}

/**
 * res_guard_pair() - run the following block with two locks held
 * @a: struct bpf_res_spin_lock *, evaluated once
 * @b: struct bpf_res_spin_lock *, evaluated once
 *
 * As res_guard(); res_guard_failed() must follow the block.
 */
#define res_guard_pair(a, b)                                                           \
	for (struct rqspin_guard_pair rqspin_guard_var rqspin_cleanup(                 \
		     rqspin_guard_pair_exit) = { .once = 1, .err = 1 };                \
	     rqspin_guard_var.once &&                                                  \
	     (rqspin_guard_var.err = res_pair_lock(&rqspin_guard_var.pair, a, b), 1);) \
	rqspin_guard_block

/**
 * res_guard_pair_failed() - the pair whose acquisition failed
 *
 * In the failure block of res_guard_pair(), and only there.
 *
 * Return: const struct res_pair *, for res_scope_fail_pair() or to look at its
 * @failed. Neither lock is held.
 */
#define res_guard_pair_failed() ((const struct res_pair *)&rqspin_guard_var.pair)

#endif /* RQSPIN_RES_LOCK_PAIR_BPF_H */
