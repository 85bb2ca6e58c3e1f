/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* State of the locks in claims.c that only its own CPU accesses. */
#ifndef LAB_SCHED_CLAIMS_H
#define LAB_SCHED_CLAIMS_H

#include "sched.h"
#include <asm/qspinlock.h>

#define CLAIM_DEPTH 4

/**
 * struct claim_own - the locks that a CPU holds or attempts, and its places in queues
 * @held: how many of @lock are in use
 * @lock: in the order of the attempts
 * @queued: contexts of this CPU that have a place in a queue
 */
struct claim_own {
	u32 held;
	const void *lock[CLAIM_DEPTH];
	u32 queued;
};

DECLARE_PER_CPU_ALIGNED(struct claim_own, claim_own);

#endif
