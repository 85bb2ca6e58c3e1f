// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where newcomers may come first, a lock that changes hands is no reason to give up soon. */
#include <stdio.h>
#include <time.h>

#include <kernel/bpf/rqspinlock.h>

#include "../lib/team.h"
#include "regress.h"

/* Looks come once a millisecond, and half of them see the same owner as the one before. */
#define EARLY_NS (20 * NSEC_PER_MSEC)
#define LATE_NS	 (100 * NSEC_PER_MSEC)

/* CPU 1 waits; CPU 0 writes two owners in turn into the lock word, until @until or for ever. */
struct hands {
	const struct lab_ops *ops;
	union lab_lock lock;
	u64 until;	  /* ns */
	u64 before, last; /* around the last write of an owner */
	u64 began, ended; /* the wait */
	/*
	 * What the kernel took from the waiter: 50 ms of every second from those in real time. A
	 * waiter that is away for so long sees the owner that it left, or sees its limit late.
	 */
	u64 away; /* ns */
	u32 over, kind;
	int err;
};

static struct hands h;

static void write_owner(u8 tag)
{
	__atomic_store_n((u8 *)&h.lock.word, tag, __ATOMIC_RELEASE);
}

static void owners(void)
{
	u64 began = shim_clock();
	u8 tag = 5;

	while (!smp_load_acquire(&h.over)) {
		lab_poll();
		if (shim_clock() - began > h.until)
			continue;
		tag ^= 5 ^ 6;
		h.before = shim_clock();
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

static void play(int cpu, void *arg)
{
	u64 used;

	(void)arg;
	if (!cpu) {
		owners();
		return;
	}
	h.began = shim_clock();
	used = cpu_time();
	h.err = h.ops->lock(&h.lock, NULL);
	used = cpu_time() - used;
	h.ended = shim_clock();
	h.away = h.ended - h.began - min(used, h.ended - h.began);
	h.kind = last_kind;
	smp_store_release(&h.over, 1);
}

static bool run(const struct lab_ops *ops, u64 until)
{
	memset(&h, 0, sizeof(h));
	h.ops = ops;
	h.until = until;
	h.lock.word = 5;
	lab_team(2, play, NULL);
	return EXPECT(h.err == -ETIMEDOUT) && EXPECT(h.kind == RES_KIND_TIMEOUT) &&
	       EXPECT(res_is_free(h.lock.word));
}

/* The limit counts from the last change. */
bool limit_from_the_last_owner(const struct lab_ops *ops)
{
	u64 limit = ops->flags & LAB_TAS ? RES_TAS_TIMEOUT : 2 * RES_DEF_TIMEOUT;

	return run(ops, limit * 3 / 2) && EXPECT(h.ended + h.away >= h.before + limit - EARLY_NS) &&
	       EXPECT(h.ended < h.last + limit + h.away + LATE_NS);
}

/* ... and there is an end to that. */
bool limit_of_unfairness(const struct lab_ops *ops)
{
	return run(ops, 2 * RES_UNFAIR_TIMEOUT) &&
	       EXPECT(h.ended - h.began >= RES_UNFAIR_TIMEOUT) &&
	       EXPECT(h.ended - h.began < RES_UNFAIR_TIMEOUT + h.away + LATE_NS);
}
