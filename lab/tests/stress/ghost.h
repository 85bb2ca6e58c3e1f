/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The oracle: which context owns and wants which lock, recorded by the callers of the lock and
 * never read from it. A context is a level (task, softirq, hardirq, NMI) of a CPU.
 *
 * The record of a want or a hold lasts a little longer than the real one, that of a want until its
 * hold is recorded. So a cycle of waits that really existed is always found here, too.
 */
#ifndef LAB_GHOST_H
#define LAB_GHOST_H

#include "../../locks/locks.h"

#define GHOST_CPUS   64
#define GHOST_LEVELS 4
#define GHOST_LOCKS  64
#define GHOST_HELD   8
#define GHOST_LOG    8192

#define GHOST_NONE (-1)

struct ghost_span {
	u64 begin, end; /* ns */
	int lock;
};

/* Number of last milliseconds for which it is recorded whether a CPU spun. */
#define GHOST_RAN 4096

/* The last spans that ended, oldest overwritten. */
struct ghost_log {
	u64 n;
	struct ghost_span span[GHOST_LOG];
};

struct ghost_ctx {
	int cpu, level;
	int want; /* GHOST_NONE: does not wait */
	u64 want_begin;
	int touch;			    /* in the middle of acquiring or releasing this lock */
	struct ghost_span held[GHOST_HELD]; /* a free slot has GHOST_NONE */
	bool waited[GHOST_HELD];	    /* a context of this CPU waited while it was held */
	struct ghost_log wants, holds;
	u64 acquired, deadlocks, nested, timeouts;
};

/* Faults that the oracle has found. */
struct ghost_faults {
	u64 exclusion;	   /* two owners */
	u64 false_verdict; /* -EDEADLK without any cycle */
	u64 false_nested;  /* -EDEADLK (NESTED) without a reason */
	u64 missed;	   /* -ETIMEDOUT in a cycle that had stood for long */
	u64 silent;	   /* an error without its event, or with a wrong one */
	u64 early;	   /* -ETIMEDOUT before the time limit */
	u64 unclear;	   /* verdicts that cannot be judged: the log is too short */
};

extern struct ghost_faults ghost_faults;
extern struct ghost_ctx ghost_ctx[GHOST_CPUS][GHOST_LEVELS];

void ghost_reset(void);

/* Before and after every acquisition. */
void ghost_want(struct ghost_ctx *c, int lock);
void ghost_got(struct ghost_ctx *c);
void ghost_gave_up(struct ghost_ctx *c);
/* Around every release. */
void ghost_release(struct ghost_ctx *c, int lock);
void ghost_released(struct ghost_ctx *c);
/* Counts a fault; the first few are printed. */
void ghost_fault(u64 *count, const struct ghost_ctx *c, int lock, const char *what);
/* Prints the locks that each context holds and wants, and the lock's own records. */
void ghost_dump(void);
bool ghost_holds(const struct ghost_ctx *c, int lock);
/* Records that this CPU spins; for shim_on_ms. */
void ghost_ran(u64 ms);
/* Did the CPU spin again and again since @since, for at least @ns from first to last? */
bool ghost_ran_for(int cpu, u64 since, u64 ns);

#endif /* LAB_GHOST_H */
