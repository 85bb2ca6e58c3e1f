// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel's queued spin lock. */
#include "locks.h"

#define LAB_ID		 qspin
#define LAB_NAME	 "qspinlock"
#define LAB_ABOUT	 "the kernel's queued spin lock"
#define LAB_FLAGS	 LAB_FIFO
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 (queued_spin_lock(&(l)->queued), 0)
#define LAB_UNLOCK(l, c) queued_spin_unlock(&(l)->queued)
#include "loops.h"
