/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_STRESS_H
#define LAB_STRESS_H

#include "ghost.h"

struct workload {
	const char *name;
	int threads; /* 0: one for each CPU of the machine */
	int locks;
	int nest;			/* locks that an operation takes, at most */
	u32 hold;			/* pauses with locks held, at most */
	u32 long_hold_us, long_hold_in; /* once in so many operations */
	u32 freeze_us, freeze_in;	/* the CPU itself stops: none of its contexts runs */
	u32 steal_us;	/* a CPU stands still anywhere in its code for so long, at most */
	int interrupts; /* levels above the task that interrupt it */
};

extern const struct workload workloads[];

/* One operation: acquires some locks, holds them for a while, and releases them in any order. */
void work_once(const struct workload *w, const struct lab_ops *ops, struct ghost_ctx *c, u64 *seed);

/* Interrupts of the calling thread: signals that run work_once() at their level. */
void interrupts_start(const struct workload *w, const struct lab_ops *ops, int cpu);
void interrupts_stop(void);

/* Checks that words, tables and records are as at the start. Returns the number of faults. */
int check_quiet(int nlocks);

extern union lab_lock work_lock[GHOST_LOCKS];
extern __thread u32 last_kind;

void spin_us(u64 us);
u32 random_below(u64 *seed, u32 below);

#endif /* LAB_STRESS_H */
