/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's queued spin lock for virtual machines (Waiman Long, Peter Zijlstra), from the tree's
 * own files. A futex halts and kicks threads, which are virtual CPUs. Included once for each form
 * of the lock, with its PV_ID, so it has no guard.
 */
#include "locks.h"
#include "pv_counts.h"

/* Counts of its own, below: the kernel's come with a file in debugfs. */
#undef CONFIG_LOCK_EVENT_COUNTS

#define PV_CAT2(a, b) a##_##b
#define PV_CAT(a, b)  PV_CAT2(a, b)
#define PV_FN(name)   PV_CAT(PV_ID, name)

/* The kernel's file makes two slow paths of itself; the first is not used here. */
#define native_queued_spin_lock_slowpath PV_FN(native_slowpath)
#define __pv_queued_spin_lock_slowpath	 PV_FN(slowpath)
#define __pv_init_lock_hash		 PV_FN(init)
#define nopvspin			 PV_FN(nopvspin)

#define CONFIG_PARAVIRT_SPINLOCKS 1

void PV_FN(native_slowpath)(struct qspinlock *lock, u32 val);
void PV_FN(slowpath)(struct qspinlock *lock, u32 val);
void PV_FN(init)(void);

#pragma GCC diagnostic ignored "-Wsign-compare"
/* Under a scheduler a count would make each state a new one. */
#ifndef SHIM_EXTERN

#include "kernel/locking/lock_events.h"
#undef lockevent_inc
#undef lockevent_cond_inc
#define lockevent_inc(ev)	  pv_count(LOCKEVENT_##ev, true)
#define lockevent_cond_inc(ev, c) pv_count(LOCKEVENT_##ev, c)

#define PV_EVENT(ev) [LOCKEVENT_##ev] = PV_COUNT_##ev

/* What the kernel counts, as far as this lab asks for it. */
static __always_inline void pv_count(enum lock_events event, bool cond)
{
	static const u8 count_of[lockevent_num] = {
		PV_EVENT(lock_slowpath),  PV_EVENT(pv_lock_stealing), PV_EVENT(pv_wait_head),
		PV_EVENT(pv_wait_node),	  PV_EVENT(pv_wait_early),    PV_EVENT(pv_spurious_wakeup),
		PV_EVENT(pv_kick_unlock),
	};

	if (cond && count_of[event])
		this_cpu_inc(pv_counts[count_of[event]]);
}

#endif /* SHIM_EXTERN */

#include "kernel/locking/qspinlock.c"

static int make_table(void)
{
	PV_FN(init)();
	return 0;
}
early_initcall(make_table);

static __always_inline int PV_FN(lock_fast)(struct qspinlock *lock)
{
	int val = 0;

	if (unlikely(!atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)))
		PV_FN(slowpath)(lock, val);
	return 0;
}
