/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Scoped locks: released on every exit, with a failure branch that cannot be
 * left out.
 *
 *	res_guard(&v->lock) {
 *		v->count++;
 *	} res_guard_failed(err) {
 *		return err;
 *	}
 *
 * or, for the rest of a block,
 *
 *	res_guard_here(&v->lock, err, return err);
 *	v->count++;
 *
 * The block of res_guard() is a loop that runs once: break and continue leave
 * just the block (the lock is released), as with the kernel's scoped_guard().
 * return and goto leave it as usual. Both forms nest, and their locks are released
 * in reverse order as the verifier demands.
 *
 * Include res_spin_fallback.bpf.h, if at all, before this file.
 *
 * Idea: the kernel's linux/cleanup.h, scoped_cond_guard() in particular.
 */
#ifndef RQSPIN_RES_GUARD_BPF_H
#define RQSPIN_RES_GUARD_BPF_H

#include <rqspin/res_spin_lock.bpf.h>

#define RQSPIN_BACKEND_BOUND /* the backend of the functions below is fixed from here on */

#define rqspin_cleanup(fn)   __attribute__((unused, cleanup(fn)))
#define rqspin_concat2(a, b) a##b
#define rqspin_concat(a, b)  rqspin_concat2(a, b)

struct rqspin_guard {
	struct bpf_res_spin_lock *lock;
	int err;
	int once;
};

struct rqspin_guard_irq {
	struct bpf_res_spin_lock *lock;
	int err;
	int once;
	unsigned long *flags;
};

/* Macros, so that the line of a failure is the user's: see rqspin_acquire(). */
#define rqspin_guard_enter(lock_ptr)                                         \
	({                                                                   \
		struct bpf_res_spin_lock *rqspin_entered = (lock_ptr);       \
		(struct rqspin_guard){ .lock = rqspin_entered,               \
				       .err = res_spin_lock(rqspin_entered), \
				       .once = 1 };                          \
	})

#define rqspin_guard_irq_enter(lock_ptr, flags_ptr)                                     \
	({                                                                              \
		struct bpf_res_spin_lock *rqspin_entered = (lock_ptr);                  \
		(struct rqspin_guard_irq){ .lock = rqspin_entered,                      \
					   .err = res_spin_lock_irqsave(rqspin_entered, \
									flags_ptr),     \
					   .once = 1,                                   \
					   .flags = (flags_ptr) };                      \
	})

static __always_inline void rqspin_guard_exit(struct rqspin_guard *g)
{
	if (!g->err)
		res_spin_unlock(g->lock);
}

static __always_inline void rqspin_guard_irq_exit(struct rqspin_guard_irq *g)
{
	if (!g->err)
		res_spin_unlock_irqrestore(g->lock, g->flags);
}

/*
 * The block of a guard is the body of a do loop, whose "while" is written by
 * res_guard_failed(): without it the program does not parse.
 */
#define rqspin_guard_block                                       \
	for (; rqspin_guard_var.once; rqspin_guard_var.once = 0) \
		if (!rqspin_guard_var.err)                       \
			do

/**
 * res_guard() - run the following block with a lock held
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 *
 * A block or statement follows, and then res_guard_failed(); without that the
 * error is "expected 'while' in do/while loop". If every block returns, a
 * return after them is still needed, as the compiler sees a loop.
 *
 * Context: as res_spin_lock(). No helper may be called inside the block.
 */
#define res_guard(lock_ptr)                                                           \
	for (struct rqspin_guard rqspin_guard_var rqspin_cleanup(rqspin_guard_exit) = \
		     rqspin_guard_enter(lock_ptr);                                    \
	     rqspin_guard_var.once;)                                                  \
	rqspin_guard_block

/**
 * res_guard_irqsave() - res_guard() with interrupts off
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 */
#define res_guard_irqsave(lock_ptr)                                                       \
	for (unsigned long rqspin_guard_flags, *rqspin_guard_first = &rqspin_guard_flags; \
	     rqspin_guard_first; rqspin_guard_first = (void *)0)                          \
		for (struct rqspin_guard_irq rqspin_guard_var rqspin_cleanup(             \
			     rqspin_guard_irq_exit) =                                     \
			     rqspin_guard_irq_enter(lock_ptr, &rqspin_guard_flags);       \
		     rqspin_guard_var.once;)                                              \
	rqspin_guard_block

/**
 * res_guard_failed() - the block that runs if the guard's lock was not acquired
 * @error: name of a new int variable with the negative errno
 *
 * Nothing has been acquired when it runs, and the guarded block does not run.
 * Leave the program or the operation from here; a retry in a loop would only
 * repeat the deadlock. break and continue end only this block.
 */
#define res_guard_failed(error)                                                                \
	while (0)                                                                              \
		;                                                                              \
	else for (int error = rqspin_guard_var.err; rqspin_guard_var.once && ((void)error, 1); \
		  rqspin_guard_var.once = 0)

extern void rqspin_guard_here_must_leave(void)
	__attribute__((error("res_guard_here: the statement for failure must leave the block")));

#define rqspin_here_failed(var, error, ...)     \
	if (var.err) {                          \
		int error = var.err;            \
		(void)error;                    \
		__VA_ARGS__;                    \
		rqspin_guard_here_must_leave(); \
	}

#define rqspin_guard_here(var, lock_ptr, error, ...)                                              \
	struct rqspin_guard var rqspin_cleanup(rqspin_guard_exit) = rqspin_guard_enter(lock_ptr); \
	rqspin_here_failed(var, error, __VA_ARGS__)

#define rqspin_guard_here_irqsave(var, fl, lock_ptr, error, ...)            \
	unsigned long fl;                                                   \
	struct rqspin_guard_irq var rqspin_cleanup(rqspin_guard_irq_exit) = \
		rqspin_guard_irq_enter(lock_ptr, &fl);                      \
	rqspin_here_failed(var, error, __VA_ARGS__)

/**
 * res_guard_here() - hold a lock until the end of the enclosing block
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 * @error: name of an int variable with the negative errno, for @...
 * @...: statement for failure; it must leave the block (return, goto, or break
 *       and continue of a loop around it), else there is a compile error
 *
 * It declares a variable, so it stands where a declaration may stand.
 */
#define res_guard_here(lock_ptr, error, ...) \
	rqspin_guard_here(rqspin_concat(rqspin_here_, __COUNTER__), lock_ptr, error, __VA_ARGS__)

/**
 * res_guard_here_irqsave() - res_guard_here() with interrupts off
 * @lock_ptr: struct bpf_res_spin_lock *, evaluated once
 * @error: as for res_guard_here()
 * @...: as for res_guard_here()
 */
#define res_guard_here_irqsave(lock_ptr, error, ...)                                          \
	rqspin_guard_here_irqsave(rqspin_concat(rqspin_here_, __COUNTER__),                   \
				  rqspin_concat(rqspin_flags_, __COUNTER__), lock_ptr, error, \
				  __VA_ARGS__)

#endif /* RQSPIN_RES_GUARD_BPF_H */
