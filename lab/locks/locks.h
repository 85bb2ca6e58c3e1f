/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One table of locks that every harness of the lab can drive. */
#ifndef LAB_LOCKS_H
#define LAB_LOCKS_H

#include <pthread.h>

#include <ck_spinlock.h>

#include "shim.h"
#include <asm/rqspinlock.h>
#include <asm/qspinlock.h>

#define LAB_ALIGN 128 /* a line and the one that is fetched with it */

union lab_lock {
	rqspinlock_t res;
	struct qspinlock queued;
	u32 word;
	pthread_spinlock_t posix;
	ck_spinlock_ticket_t ticket;
	ck_spinlock_mcs_t mcs;
	ck_spinlock_clh_t *clh;
	char pad[LAB_ALIGN];
} __attribute__((aligned(LAB_ALIGN)));

struct lab_runs;

/* What some locks need of each thread, and what a thread did. */
struct lab_ctx {
	ck_spinlock_mcs_context_t mcs;
	ck_spinlock_clh_t *clh;
	ck_spinlock_clh_t clh_node __attribute__((aligned(LAB_ALIGN)));
	u64 ops;
	u64 failed;
} __attribute__((aligned(LAB_ALIGN)));

/* What a lock protects: the number of acquisitions, and who had the last one. */
struct lab_shared {
	u64 count;
	const void *owner;
};

/* A thread's part of a contended run. */
struct lab_load {
	u64 end;   /* shim_cycles() */
	u32 held;  /* pauses with the lock held, and */
	u32 apart; /* between two acquisitions */
	struct lab_shared *shared;
};

/* A power of two. Released bytes of as many are not in the way of the next cmpxchg. */
#define LAB_TURN 16

#define LAB_RESILIENT 1 /* acquisitions may fail */
#define LAB_OURS      2
#define LAB_NO_LOCK   4	   /* does not exclude anybody */
#define LAB_TAS	      8	   /* ours without a queue */
#define LAB_HYBRID    16   /* ours for virtual machines */
#define LAB_HELD      32   /* the yardstick for tables of held locks */
#define LAB_FOREIGN   64   /* of a library: its waiters do not give way to others */
#define LAB_FIFO      128  /* who waits comes before whoever comes later */
#define LAB_VCPU      256  /* for more threads than CPUs */
#define LAB_UNORDERED 512  /* no waiter stands behind another one */
#define LAB_RIVAL     1024 /* resilient, and not ours: shown beside ours, never judged */
#define LAB_UNFAIR    (LAB_TAS | LAB_HYBRID)

struct lab_ops {
	const char *name, *about;
	unsigned int flags;
	void (*init)(union lab_lock *l);
	int (*lock)(union lab_lock *l, struct lab_ctx *c);
	void (*unlock)(union lab_lock *l, struct lab_ctx *c);
	/* Loops with the lock's code in them, as it would be in a kernel function. */
	void (*pairs)(union lab_lock *l, struct lab_ctx *c, u64 n);
	/* The same over LAB_TURN locks in turn; nested has two of them at a time, and contexts. */
	void (*turns)(union lab_lock *l, struct lab_ctx *c, u64 n);
	void (*nested)(union lab_lock *l, struct lab_ctx *c, u64 n);
	void (*contend)(union lab_lock *l, struct lab_ctx *c, const struct lab_load *load);
	/* The same, and counts how long each thread keeps the lock to itself. */
	void (*take_turns)(union lab_lock *l, struct lab_ctx *c, const struct lab_load *load,
			   struct lab_runs *runs);
};

extern const struct lab_ops *const lab_locks[];
/* Of the first one with @flag. */
int lab_index_of(unsigned int flag);
const struct lab_ops *lab_lock_named(const char *name);
void lab_ctx_init(struct lab_ctx *c);

#endif /* LAB_LOCKS_H */
