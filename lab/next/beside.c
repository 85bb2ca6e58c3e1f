// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The next form of the lock, for the programs that measure it beside today's. */
#include "../locks/locks.h"

#define LAB_ID		 res_next
#define LAB_NAME	 "rqspinlock-next"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_OURS)
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 res_spin_lock(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "../locks/loops.h"
