// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same before it was a hybrid, which is what its author compared with: newcomers try once to
 * take the lock past the queue (Waiman Long, "locking/pvqspinlock: Allow limited lock stealing",
 * 2015).
 */
#define PV_ID pv_queued
#define PV_STEAL_ONCE
#include "pv.h"

#define LAB_ID		 pv_queued_ops
#define LAB_NAME	 "pv-queued"
#define LAB_ABOUT	 "the same before that: one try past the queue"
#define LAB_FLAGS	 LAB_VCPU
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 pv_queued_lock_fast(&(l)->queued)
#define LAB_UNLOCK(l, c) __pv_queued_spin_unlock(&(l)->queued)
#include "loops.h"
