// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where newcomers may come first, a lock that changes hands is no reason to give up soon. */
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "../lib/team.h"
#include "regress.h"

/* Time that is taken from a thread does not count: 50 ms of a second from those in real time. */
static u64 slack(u64 limit)
{
	return limit / 10 + 100 * NSEC_PER_MSEC;
}

/* Looks come once a millisecond, and half of them see the same owner as the one before. */
#define EARLY_NS (20 * NSEC_PER_MSEC)

/* CPU 1 waits; CPU 0 writes two owners in turn into the lock word, until @until or for ever. */
struct hands {
	const struct lab_ops *ops;
	union lab_lock lock;
	u64 until; /* ns */
	u64 last;  /* when an owner was written */
	u64 began, ended;
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
	u8 tag = 5;

	while (!smp_load_acquire(&h.over)) {
		lab_poll();
		if (shim_clock() - h.began > h.until)
			continue;
		tag ^= 5 ^ 6;
		write_owner(tag);
		h.last = shim_clock();
	}
	write_owner(RES_TAG_FREE);
}

static void play(int cpu, void *arg)
{
	(void)arg;
	if (!cpu) {
		owners();
		return;
	}
	h.err = h.ops->lock(&h.lock, NULL);
	h.ended = shim_clock();
	h.kind = last_kind;
	smp_store_release(&h.over, 1);
}

static bool run(const struct lab_ops *ops, u64 until)
{
	memset(&h, 0, sizeof(h));
	h.ops = ops;
	h.until = until;
	h.lock.word = 5;
	h.began = shim_clock();
	lab_team(2, play, NULL);
	return EXPECT(h.err == -ETIMEDOUT) && EXPECT(h.kind == RES_KIND_TIMEOUT) &&
	       EXPECT(res_is_free(h.lock.word));
}

/* The limit counts from the last change. */
bool limit_from_the_last_owner(const struct lab_ops *ops)
{
	u64 limit = ops->flags & LAB_TAS ? RES_TAS_TIMEOUT : 2 * RES_DEF_TIMEOUT;

	return run(ops, limit * 3 / 2) && EXPECT(h.ended >= h.last + limit - EARLY_NS) &&
	       EXPECT(h.ended < h.last + limit + slack(limit));
}

/* ... and there is an end to that. */
bool limit_of_unfairness(const struct lab_ops *ops)
{
	return run(ops, 2 * RES_UNFAIR_TIMEOUT) &&
	       EXPECT(h.ended - h.began >= RES_UNFAIR_TIMEOUT) &&
	       EXPECT(h.ended - h.began < RES_UNFAIR_TIMEOUT + slack(RES_UNFAIR_TIMEOUT));
}
