/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Scoped locks in an arena: the guards of res_guard.bpf.h around a lock that the
 * program brings along, such as arena_spin_lock() of libarena or of the kernel's
 * bpf_arena_spin_lock.h. This header defines no lock of its own.
 *
 *	RES_ARENA_DEFINE(arena_spinlock_t, arena_spin_lock, arena_spin_unlock);
 *
 *	res_arena_guard(&node->lock) {
 *		node->count++;
 *	} res_guard_failed(err) {
 *		return err;
 *	}
 *
 * To the kernel such a lock is plain memory: it tracks neither the owner nor the
 * waiters, and the verifier does not check that the lock is released. The guards
 * release it on every way out of the block, and do not compile without a branch
 * for failures. They call two functions whose names `rqspin check` recognizes, so
 * it follows these locks.
 *
 * Include it after the header with the lock. Needs clang 19 and a kernel with
 * arenas: 6.9 on x86-64, 6.10 on arm64.
 *
 * Idea: the guards of scx's libraries, which assume that the lock succeeds.
 */
#ifndef RQSPIN_RES_ARENA_BPF_H
#define RQSPIN_RES_ARENA_BPF_H

#include <rqspin/res_guard.bpf.h>

#define rqspin_arena __attribute__((address_space(1)))

/*
 * Not inlined, so that the program has a call with the lock's address. "used" keeps the compiler
 * from moving the address into the function if all callers pass the same one.
 */
#define RQSPIN_ARENA_FUNCTION static __attribute__((noinline, used))

/**
 * RES_ARENA_DEFINE() - name the lock of res_arena_lock() and of the guards
 * @type: type of a lock in the arena, without __arena
 * @take: function or macro that takes a "type __arena *" and returns 0 or a
 *	negative errno; it has to give up after some time
 * @release: function or macro that releases it
 *
 * Once per object, at file scope, after the declarations of @take and @release.
 */
#define RES_ARENA_DEFINE(type, take, release)                                            \
	struct rqspin_arena_guard {                                                      \
		type rqspin_arena *lock;                                                 \
		int err;                                                                 \
		int once;                                                                \
	};                                                                               \
                                                                                         \
	struct rqspin_arena_guard_irq {                                                  \
		type rqspin_arena *lock;                                                 \
		int err;                                                                 \
		int once;                                                                \
		unsigned long *flags;                                                    \
	};                                                                               \
                                                                                         \
	RQSPIN_ARENA_FUNCTION int rqspin_arena_lock(type rqspin_arena *lock)             \
	{                                                                                \
		return take(lock);                                                       \
	}                                                                                \
                                                                                         \
	RQSPIN_ARENA_FUNCTION int rqspin_arena_unlock(type rqspin_arena *lock)           \
	{                                                                                \
		release(lock);                                                           \
		return 0;                                                                \
	}                                                                                \
                                                                                         \
	static __always_inline __attribute__((unused)) void rqspin_arena_guard_exit(     \
		struct rqspin_arena_guard *g)                                            \
	{                                                                                \
		if (!g->err)                                                             \
			rqspin_arena_unlock(g->lock);                                    \
	}                                                                                \
                                                                                         \
	static __always_inline __attribute__((unused)) void rqspin_arena_guard_irq_exit( \
		struct rqspin_arena_guard_irq *g)                                        \
	{                                                                                \
		if (!g->err)                                                             \
			res_arena_unlock_irqrestore(g->lock, g->flags);                  \
	}                                                                                \
                                                                                         \
	_Static_assert(sizeof(type) > 0, "RES_ARENA_DEFINE() needs the type of a lock")

extern void bpf_local_irq_save(unsigned long *flags__irq_flag) __weak __ksym;
extern void bpf_local_irq_restore(unsigned long *flags__irq_flag) __weak __ksym;

/**
 * res_arena_lock() - take a lock in an arena, or fail
 * @lock: type __arena *, see RES_ARENA_DEFINE()
 *
 * Do not retry in a loop: if the failure is a deadlock, a retry only repeats it.
 * The error does not show the cause: a deadlock ends with -ETIMEDOUT, too.
 *
 * Return: 0 or a negative errno of the program's own lock; ignoring it is a
 * compile error. Compare it with 0: the verifier does not know that the errors
 * of a global function are negative.
 * Context: where the program's own lock may be taken. Helpers may be called
 * while it is held, as far as a lock function that stops preemption allows it.
 */
#define res_arena_lock(lock) rqspin_acquire(rqspin_arena_lock, lock)

/**
 * res_arena_unlock() - release a lock in an arena
 * @lock: the lock; the verifier does not check that it is held
 */
#define res_arena_unlock(lock) ((void)rqspin_arena_unlock(lock))

/* After a failure interrupts are on or off as before. */
#define rqspin_arena_lock_irq(lock_ptr, flags)                  \
	({                                                      \
		int rqspin_arena_err;                           \
		bpf_local_irq_save(flags);                      \
		rqspin_arena_err = rqspin_arena_lock(lock_ptr); \
		if (rqspin_arena_err)                           \
			bpf_local_irq_restore(flags);           \
		rqspin_arena_err;                               \
	})

/**
 * res_arena_lock_irqsave() - res_arena_lock() with interrupts off
 * @lock: as res_arena_lock()
 * @flags: unsigned long * to a variable on the stack, used for nothing else
 *
 * Return: as res_arena_lock(); after an error interrupts are as before.
 * Context: kernels with bpf_local_irq_save(), Linux 6.14 and later.
 */
#define res_arena_lock_irqsave(lock, flags) rqspin_acquire(rqspin_arena_lock_irq, lock, flags)

/**
 * res_arena_unlock_irqrestore() - undo the last res_arena_lock_irqsave()
 * @lock: the same lock
 * @flags: the same variable
 */
#define res_arena_unlock_irqrestore(lock, flags) \
	do {                                     \
		(void)rqspin_arena_unlock(lock); \
		bpf_local_irq_restore(flags);    \
	} while (0)

#define rqspin_arena_guard_enter(lock_ptr)                                          \
	({                                                                          \
		__auto_type rqspin_entered = (lock_ptr);                            \
		(struct rqspin_arena_guard){ .lock = rqspin_entered,                \
					     .err = res_arena_lock(rqspin_entered), \
					     .once = 1 };                           \
	})

#define rqspin_arena_guard_irq_enter(lock_ptr, flags_ptr)                                      \
	({                                                                                     \
		__auto_type rqspin_entered = (lock_ptr);                                       \
		(struct rqspin_arena_guard_irq){ .lock = rqspin_entered,                       \
						 .err = res_arena_lock_irqsave(rqspin_entered, \
									       flags_ptr),     \
						 .once = 1,                                    \
						 .flags = (flags_ptr) };                       \
	})

/**
 * res_arena_guard() - run the following block with a lock in an arena held
 * @lock_ptr: type __arena *, evaluated once
 *
 * A block or statement follows, and then res_guard_failed(), as for res_guard().
 */
#define res_arena_guard(lock_ptr)                                                                 \
	for (struct rqspin_arena_guard rqspin_guard_var rqspin_cleanup(rqspin_arena_guard_exit) = \
		     rqspin_arena_guard_enter(lock_ptr);                                          \
	     rqspin_guard_var.once;)                                                              \
	rqspin_guard_block

/**
 * res_arena_guard_irqsave() - res_arena_guard() with interrupts off
 * @lock_ptr: type __arena *, evaluated once
 */
#define res_arena_guard_irqsave(lock_ptr)                                                 \
	for (unsigned long rqspin_guard_flags, *rqspin_guard_first = &rqspin_guard_flags; \
	     rqspin_guard_first; rqspin_guard_first = (void *)0)                          \
		for (struct rqspin_arena_guard_irq rqspin_guard_var rqspin_cleanup(       \
			     rqspin_arena_guard_irq_exit) =                               \
			     rqspin_arena_guard_irq_enter(lock_ptr, &rqspin_guard_flags); \
		     rqspin_guard_var.once;)                                              \
	rqspin_guard_block

#define rqspin_arena_guard_here(var, lock_ptr, error, ...)                      \
	struct rqspin_arena_guard var rqspin_cleanup(rqspin_arena_guard_exit) = \
		rqspin_arena_guard_enter(lock_ptr);                             \
	rqspin_here_failed(var, error, __VA_ARGS__)

#define rqspin_arena_guard_here_irqsave(var, fl, lock_ptr, error, ...)                  \
	unsigned long fl;                                                               \
	struct rqspin_arena_guard_irq var rqspin_cleanup(rqspin_arena_guard_irq_exit) = \
		rqspin_arena_guard_irq_enter(lock_ptr, &fl);                            \
	rqspin_here_failed(var, error, __VA_ARGS__)

/**
 * res_arena_guard_here() - hold a lock in an arena until the end of the block
 * @lock_ptr: type __arena *, evaluated once
 * @error: name of an int variable with the negative errno, for @...
 * @...: statement for failure; it must leave the block, as for res_guard_here()
 */
#define res_arena_guard_here(lock_ptr, error, ...)                                         \
	rqspin_arena_guard_here(rqspin_concat(rqspin_here_, __COUNTER__), lock_ptr, error, \
				__VA_ARGS__)

/**
 * res_arena_guard_here_irqsave() - res_arena_guard_here() with interrupts off
 * @lock_ptr: type __arena *, evaluated once
 * @error: as for res_arena_guard_here()
 * @...: as for res_arena_guard_here()
 */
#define res_arena_guard_here_irqsave(lock_ptr, error, ...)                                   \
	rqspin_arena_guard_here_irqsave(rqspin_concat(rqspin_here_, __COUNTER__),            \
					rqspin_concat(rqspin_flags_, __COUNTER__), lock_ptr, \
					error, __VA_ARGS__)

#endif /* RQSPIN_RES_ARENA_BPF_H */
