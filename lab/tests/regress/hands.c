// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* While the owners of a lock change, a waiter does not give up early, but its wait still ends. */
#include <stdio.h>
#include <time.h>

#include <kernel/bpf/rqspinlock.h>

#include "../../threads/lib/team.h"
#include "regress.h"

/*
 * The waiter looks once a millisecond, and half of its looks see the same owner as the one before.
 */
#define EARLY_NS (20 * NSEC_PER_MSEC)
#define LATE_NS	 (100 * NSEC_PER_MSEC)

/* CPU 1 waits; CPU 0 writes two owners in turn into the lock word, until @until or for ever. */
struct hands {
	const struct lab_ops *ops;
	union lab_lock lock;
	u64 until;	  /* ns */
	bool irqs_off;	  /* of the waiter */
	u64 base;	  /* of the clock */
	u64 before, last; /* around the last write of an owner */
	u64 gap;	  /* the longest time between two writes */
	u64 began, ended; /* the wait */
	/*
	 * Time that the waiter was off its CPU: the kernel takes 50 ms of every second from
	 * real-time threads. After such a gap the waiter may see the same owner as before, or its
	 * limit late.
	 */
	u64 away;    /* ns */
	u64 wait_ns; /* according to the report */
	u32 over, kind;
	int err;
};

static struct hands h;

static void write_owner(u8 tag)
{
	__atomic_store_n((u8 *)&h.lock.word, tag, __ATOMIC_RELEASE);
}

static void owners_play(void)
{
	u64 began = shim_clock();
	u8 tag = 5;

	while (!smp_load_acquire(&h.over)) {
		lab_poll();
		if (shim_clock() - began > h.until)
			continue;
		tag ^= 5 ^ 6;
		h.before = shim_clock();
		h.gap = max(h.gap, h.before - (h.last ?: began));
		write_owner(tag);
		h.last = shim_clock();
	}
	write_owner(RES_TAG_FREE);
}

static u64 cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static void hands_play(int cpu, void *arg)
{
	u64 used;

	(void)arg;
	if (!cpu) {
		owners_play();
		return;
	}
	h.began = shim_clock();
	used = cpu_time();
	shim_irqs_off = h.irqs_off;
	h.err = h.ops->lock(&h.lock, NULL);
	shim_irqs_off = false;
	shim_clock_base = h.base;
	used = cpu_time() - used;
	h.ended = shim_clock();
	h.away = h.ended - h.began - min(used, h.ended - h.began);
	h.kind = last_kind;
	h.wait_ns = last_wait_ns;
	smp_store_release(&h.over, 1);
}

static bool hands_run(const struct lab_ops *ops, u64 until, bool irqs_off)
{
	memset(&h, 0, sizeof(h));
	h.ops = ops;
	h.until = until;
	h.irqs_off = irqs_off;
	h.base = shim_clock_base;
	h.lock.word = 5;
	lab_team(2, hands_play, NULL);
	return EXPECT(h.err == -ETIMEDOUT) && EXPECT(h.kind == RES_KIND_TIMEOUT) &&
	       EXPECT(res_is_free(h.lock.word));
}

/* A lone waiter has the pending bit, except in the hybrid, where it queues. */
static u64 limit_of(const struct lab_ops *ops)
{
	if (ops->flags & LAB_TAS)
		return RES_TAS_TIMEOUT;
	return ops->flags & LAB_UNFAIR ? 2 * RES_DEF_TIMEOUT : RES_DEF_TIMEOUT;
}

/* The limit counts from the last change of owners. */
bool limit_from_the_last_owner(const struct lab_ops *ops)
{
	u64 limit = limit_of(ops);

	return hands_run(ops, limit * 3 / 2, false) &&
	       EXPECT(h.ended + h.away >= h.before + limit - EARLY_NS) &&
	       EXPECT(h.ended < h.last + limit + h.away + LATE_NS);
}

/* CPU 0, which writes the owners, may lose its CPU, too: then no owner changed for that long. */
static bool stood_still(const struct lab_ops *ops)
{
	return max(h.gap, h.ended - min(h.ended, h.last)) + EARLY_NS >= limit_of(ops);
}

/* ... and changes of owners extend a wait only up to @limit. */
static bool ends_after(const struct lab_ops *ops, u64 limit, bool irqs_off)
{
	return hands_run(ops, 2 * limit, irqs_off) &&
	       EXPECT(h.ended - h.began >= limit || stood_still(ops)) &&
	       EXPECT(h.ended - h.began < limit + h.away + LATE_NS);
}

bool limit_of_all_changes(const struct lab_ops *ops)
{
	return ends_after(ops, RES_MOVING_TIMEOUT, false);
}

bool limit_with_interrupts_off(const struct lab_ops *ops)
{
	return ends_after(ops, RES_IRQS_OFF_TIMEOUT, true);
}

static void turn_back(void)
{
	shim_on_end = NULL;
	shim_clock_base = shim_cycles();
}

/*
 * Sets the clock back to 0 between the verdict and the report: the report has the wait from before.
 */
bool clock_that_goes_back(const struct lab_ops *ops)
{
	shim_on_end = turn_back;
	return hands_run(ops, 0, false) && EXPECT(h.wait_ns >= limit_of(ops)) &&
	       EXPECT(h.wait_ns < limit_of(ops) + h.away + LATE_NS);
}
