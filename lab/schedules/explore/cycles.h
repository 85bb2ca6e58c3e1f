/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Per-CPU state that the search in cycles.c reads from other CPUs. */
#ifndef LAB_SCHED_CYCLES_H
#define LAB_SCHED_CYCLES_H

#include "sched.h"
#include <asm/qspinlock.h>

#define CYCLE_ENTRIES 4
#define CYCLE_LEVELS  3

/* Do others wait for this attempt while nobody holds the lock? */
enum cycle_stage {
	CYCLE_QUEUED,
	CYCLE_HEAD,
	CYCLE_PENDING,
};

/**
 * struct cycle_wait - what a context waits for
 * @seq: odd during the wait
 * @cnt: number of entries in the table of its CPU; the last one is this attempt
 * @lock: the lock
 * @stage: enum cycle_stage
 * @turn: the turn of its queue node, or NULL
 */
struct cycle_wait {
	u32 seq, cnt;
	struct qspinlock *lock;
	u32 stage;
	const u32 *turn;
};

/**
 * struct cycle_cpu - a CPU's table, and the waits of its contexts
 * @cnt: how many of @lock are in use
 * @lock: held or attempted, in the order of the attempts
 * @nr: how many of @wait are in use
 * @wait: the waits of nested contexts
 */
struct cycle_cpu {
	u32 cnt;
	const void *lock[CYCLE_ENTRIES];
	u32 nr;
	struct cycle_wait wait[CYCLE_LEVELS];
};

DECLARE_PER_CPU_ALIGNED(struct cycle_cpu, cycle_cpus);

/* Parts of the search that a deliberately wrong lock leaves out. */
enum cycle_part {
	CYCLE_SECOND_LOOK = 1, /* are the waits still the same? */
	CYCLE_ATTEMPTS = 2,    /* an attempt is no holder */
	CYCLE_OTHERS = 4,      /* nobody else has such an entry */
	CYCLE_WORD = 8,	       /* a free lock has no holder */
	CYCLE_STAGES = 16,     /* except the attempt whose turn it is */
	CYCLE_TOP = 32,	       /* nothing goes on above the wait */
	CYCLE_VICTIM = 64,     /* only one member leaves */
	CYCLE_MORE_THAN_2 = 128,
	CYCLE_AGAIN = 256, /* the next search must find the same cycle */
};

#endif
