/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * <asm/qspinlock.h>: the code of x86, in C. The compiler generates its lock;btsl and the load after
 * it.
 */
#ifndef LAB_SHIM_QSPINLOCK_ARCH_H
#define LAB_SHIM_QSPINLOCK_ARCH_H

#include <asm-generic/qspinlock_types.h>

#ifndef SHIM_EXTERN
#define _Q_PENDING_LOOPS (1 << 9)
#endif

#define queued_fetch_set_pending_acquire queued_fetch_set_pending_acquire
static __always_inline u32 queued_fetch_set_pending_acquire(struct qspinlock *lock)
{
	u32 *word = (u32 *)&lock->val.counter;
	u32 val;

	val = __atomic_fetch_or(word, _Q_PENDING_VAL, __ATOMIC_ACQUIRE) & _Q_PENDING_VAL;
	return val | (__atomic_load_n(word, __ATOMIC_ACQUIRE) & ~_Q_PENDING_MASK);
}

#include <asm-generic/qspinlock.h>

#endif /* LAB_SHIM_QSPINLOCK_ARCH_H */
