/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The locks to compare with under the deterministic scheduler of lab/schedules/mc. */
#ifndef LAB_SCHED_H
#define LAB_SCHED_H

#include "../../locks/locks.h"
#include "mc.h"

/**
 * struct sched_lock - a lock and its promises
 * @name: for --lock
 * @ops: the lock
 * @fifo_after: after so many pauses a waiter precedes all later attempts; 0: no order
 * @sockets: number of sockets, the order holds within each; 0 means 1
 * @ticket: free when both halves of the word are equal
 * @resilient: acquisitions may fail
 * @cycles: acquisitions fail in a deadlock, and only then
 * @without: parts of the search for deadlocks that this lock leaves out (cycles.h)
 */
struct sched_lock {
	const char *name;
	const struct lab_ops *ops;
	int fifo_after, sockets;
	bool ticket, resilient, cycles;
	unsigned int without;
};

extern const struct sched_lock *sched_lock;
extern union lab_lock sched_locks[MC_LOCKS];

/* Who waits behind whom, for the oracle: part of a state. */
struct sched_order {
	u8 paused[MC_CPUS];
	u8 before[MC_CPUS]; /* CPUs that must come first, a bit each */
};

extern struct sched_order sched_order;

#endif /* LAB_SCHED_H */
