// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hybrid of a queued and an unfair lock (Waiman Long, "locking/pvqspinlock: Hybrid PV
 * queued/unfair locks", 2017): what the tree has.
 */
#define PV_ID pv_hybrid
#include "pv.h"

#define LAB_ID		 pv_hybrid_ops
#define LAB_NAME	 "pv-hybrid"
#define LAB_ABOUT	 "the kernel's for virtual machines: may be passed"
#define LAB_FLAGS	 LAB_VCPU
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 pv_hybrid_lock_fast(&(l)->queued)
#define LAB_UNLOCK(l, c) __pv_queued_spin_unlock(&(l)->queued)
#include "loops.h"
