// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks without any order. */
#include "locks.h"

static __always_inline void tas_spin(u32 *word)
{
	while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		smp_cond_load_relaxed(word, !VAL);
}

#define LAB_ID		 tas
#define LAB_NAME	 "test-and-set"
#define LAB_ABOUT	 "test and set, no order"
#define LAB_FLAGS	 LAB_UNORDERED
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 (tas_spin(&(l)->word), 0)
#define LAB_UNLOCK(l, c) smp_store_release(&(l)->word, 0)
#include "loops.h"

/*
 * The x86 kernel's unfair lock for hypervisors that offer no kicks (virt_spin_lock()), which the
 * author of the hybrid compared with.
 */
static __always_inline void unfair_spin(struct qspinlock *lock)
{
	while (!queued_spin_trylock(lock))
		cpu_relax();
}

#define LAB_ID		 unfair
#define LAB_NAME	 "unfair"
#define LAB_ABOUT	 "the kernel's where nobody kicks: test and set"
#define LAB_FLAGS	 (LAB_VCPU | LAB_UNORDERED)
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 (unfair_spin(&(l)->queued), 0)
#define LAB_UNLOCK(l, c) queued_spin_unlock(&(l)->queued)
#include "loops.h"
