/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Resilient queued spin locks for BPF programs: declarations of the kernel's
 * functions and the one API of this library.
 *
 * Include vmlinux.h and <bpf/bpf_helpers.h> first. If vmlinux.h lacks struct
 * bpf_res_spin_lock (kernels without these locks), define RQSPIN_NEED_TYPES
 * before including this file. This is needed because the preprocessor cannot
 * see whether vmlinux.h has the type.
 *
 * A lock is a field "struct bpf_res_spin_lock" of a map value or of an object
 * from bpf_obj_new(), or a global alone in its own section:
 *	struct bpf_res_spin_lock tree __hidden SEC(".data.tree");
 * (hidden or static, because libbpf cannot mmap a map that has a lock in it).
 *
 * What the verifier demands while a lock is held: no helper call and no call of
 * a global function; locks are released in reverse order of acquisition; every
 * path to an exit releases; the same lock is not taken twice.
 *
 * The functions are macros so that res_spin_fallback.bpf.h, when included too,
 * can replace them by a version that works without the kernel's functions.
 *
 * Idea: scope-independent part of the kernel's linux/spinlock API, and the
 * errors-by-default style of its __must_check.
 */
#ifndef RQSPIN_RES_SPIN_LOCK_BPF_H
#define RQSPIN_RES_SPIN_LOCK_BPF_H

#define RQSPIN_EDEADLK	 35
#define RQSPIN_ETIMEDOUT 110

#ifdef RQSPIN_NEED_TYPES
struct bpf_res_spin_lock {
	unsigned int val;
};
#endif

struct bpf_res_spin_lock;
/* If the type is incomplete here, define RQSPIN_NEED_TYPES, see above. */
_Static_assert(sizeof(struct bpf_res_spin_lock) == 4, "bpf_res_spin_lock is one 32-bit word");

extern int bpf_res_spin_lock(struct bpf_res_spin_lock *lock) __weak __ksym;
extern void bpf_res_spin_unlock(struct bpf_res_spin_lock *lock) __weak __ksym;
extern int bpf_res_spin_lock_irqsave(struct bpf_res_spin_lock *lock,
				     unsigned long *flags__irq_flag) __weak __ksym;
extern void bpf_res_spin_unlock_irqrestore(struct bpf_res_spin_lock *lock,
					   unsigned long *flags__irq_flag) __weak __ksym;

/* An ignored result would be found by the verifier as well, but late and far from the line. */
#pragma clang diagnostic error "-Wunused-result"
#define RQSPIN_MUST_CHECK __attribute__((warn_unused_result))

/**
 * res_spin_lock_supported() - whether the running kernel has these locks
 *
 * Answered when the program is loaded; the verifier then drops the branch that
 * cannot run, so the branch may use what this kernel lacks.
 *
 * Return: true or false. Context: any program type, no capability needed.
 */
#define res_spin_lock_supported() (!!bpf_ksym_exists(bpf_res_spin_lock))

/**
 * rqspin_errname() - name of an error of a lock function
 * @err: negative errno
 *
 * Return: "EDEADLK", "ETIMEDOUT", "0", or "?" for anything else
 */
static __always_inline const char *rqspin_errname(int err)
{
	switch (err) {
	case 0:
		return "0";
	case -RQSPIN_EDEADLK:
		return "EDEADLK";
	case -RQSPIN_ETIMEDOUT:
		return "ETIMEDOUT";
	default:
		return "?";
	}
}

static __always_inline RQSPIN_MUST_CHECK int rqspin_checked(int err)
{
	return err;
}

/* res_events.bpf.h redefines this: it records the failing call for the report. */
#define rqspin_note_failure(lock_ptr) ((void)(lock_ptr))

/*
 * A macro, like its users: BTF gives an instruction one line, and the line of an inlined function
 * would be in this file. The statement keeps compilers from merging two calls of one function
 * that end two branches, which would leave them without a line.
 */
#define rqspin_acquire(take, lock_ptr, ...)                          \
	rqspin_checked(({                                            \
		__auto_type rqspin_wanted = (lock_ptr);              \
		int rqspin_err = take(rqspin_wanted, ##__VA_ARGS__); \
		asm volatile("" : : "i"(__COUNTER__));               \
		if (rqspin_err)                                      \
			rqspin_note_failure(rqspin_wanted);          \
		rqspin_err;                                          \
	}))

#ifndef RQSPIN_FALLBACK_BACKEND
/**
 * res_spin_lock() - take a lock, or fail with the reason
 * @lock: struct bpf_res_spin_lock *
 *
 * Spins with preemption disabled for at most about 250 ms per owner. Do not
 * retry in a loop after a failure: release what is held and bail out.
 *
 * Return: 0; -RQSPIN_EDEADLK if waiting could never end (this CPU holds @lock,
 * or its owner waits for a lock of this CPU); -RQSPIN_ETIMEDOUT if the owner did
 * not release in time. Ignoring it is a compile error.
 * Context: any, NMI included. After success no helper may be called.
 */
#define res_spin_lock(lock) rqspin_acquire(bpf_res_spin_lock, lock)

/**
 * res_spin_unlock() - release the lock taken last
 * @lock: the same pointer value that was locked
 */
#define res_spin_unlock(lock) bpf_res_spin_unlock(lock)

/**
 * res_spin_lock_irqsave() - res_spin_lock() with interrupts off
 * @lock: struct bpf_res_spin_lock *
 * @flags: unsigned long * to a variable on the stack, used for nothing else
 *
 * Return: as res_spin_lock(); after an error interrupts are as before.
 */
#define res_spin_lock_irqsave(lock, flags) rqspin_acquire(bpf_res_spin_lock_irqsave, lock, flags)

/**
 * res_spin_unlock_irqrestore() - undo the last res_spin_lock_irqsave()
 * @lock: the same pointer value that was locked
 * @flags: the same variable
 */
#define res_spin_unlock_irqrestore(lock, flags) bpf_res_spin_unlock_irqrestore(lock, flags)
#endif

#endif /* RQSPIN_RES_SPIN_LOCK_BPF_H */
