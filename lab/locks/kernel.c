// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock of the patched tree in its three forms. */
#include "locks.h"

#define LAB_ID		 res_queue
#define LAB_NAME	 "rqspinlock"
#define LAB_ABOUT	 "ours: the queue that every waiter can leave"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_OURS)
#define LAB_INIT(l)	 (shim_hybrid = false)
#define LAB_LOCK(l, c)	 res_spin_lock(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "loops.h"

/* In a virtual machine with kicks. */
#define LAB_ID		 res_hybrid
#define LAB_NAME	 "rqspinlock-hybrid"
#define LAB_ABOUT	 "ours for virtual machines: steals and halts"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_OURS | LAB_HYBRID)
#define LAB_INIT(l)	 (shim_hybrid = true)
#define LAB_LOCK(l, c)	 res_spin_lock(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "loops.h"

/* Where queueing is harmful the slow path of the queued lock ends here. */
static __always_inline int res_tas_or_fast(rqspinlock_t *lock)
{
	u32 tag = raw_cpu_read(res_spin_tag);
	int val = tag & RES_TAG_LEFT;

	if (likely(tag != RES_TAG_ESC) && likely(atomic_try_cmpxchg_acquire(&lock->val, &val, tag)))
		return 0;
	return resilient_tas_spin_lock(lock, 0);
}

#define LAB_ID		 res_tas
#define LAB_NAME	 "rqspinlock-tas"
#define LAB_ABOUT	 "ours where nothing queues"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_OURS | LAB_TAS | LAB_UNORDERED)
#define LAB_INIT(l)	 (shim_hybrid = false)
#define LAB_LOCK(l, c)	 res_tas_or_fast(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "loops.h"
