// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The calls of the locks, and two wrong locks that the oracle must catch. */
#include "sched.h"

int mc_lock_acquire(int lock)
{
	return sched_lock->ops->lock(&sched_locks[lock], NULL);
}

void mc_lock_release(int lock)
{
	sched_lock->ops->unlock(&sched_locks[lock], NULL);
}

/* Wrong: tests and sets the word in two steps. */
static int look_and_take(u32 *word)
{
	while (READ_ONCE(*word))
		cpu_relax();
	WRITE_ONCE(*word, 1);
	return 0;
}

#define LAB_ID		 two_steps
#define LAB_NAME	 "wrong-two-steps"
#define LAB_ABOUT	 "looks, and takes later"
#define LAB_FLAGS	 0
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 look_and_take(&(l)->word)
#define LAB_UNLOCK(l, c) smp_store_release(&(l)->word, 0)
#include "../../locks/loops.h"

/* Wrong: the release does nothing. */
#define LAB_ID		 no_release
#define LAB_NAME	 "wrong-no-release"
#define LAB_ABOUT	 "is not released"
#define LAB_FLAGS	 0
#define LAB_INIT(l)	 ((void)(l))
#define LAB_LOCK(l, c)	 look_and_take(&(l)->word)
#define LAB_UNLOCK(l, c) ((void)(l))
#include "../../locks/loops.h"
