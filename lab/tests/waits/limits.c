// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../threads/lib/team.h"
#include "waits.h"

#define WAITERS	 16
#define HOLD_MS	 200
#define APART_MS 50
/* Longer than the limits of all waiters, which come one after the other. */
#define STALL_MS 2000
/* For a quiet machine: on a busy one real-time threads stand still for 50 ms of every second. */
#define SLACK_MS    20
#define SLACK_NS    (SLACK_MS * NSEC_PER_MSEC)
#define YIELD_EVERY 20

struct wait {
	int ret;
	u64 took; /* ns */
	u32 turn; /* 1 for the first that got the lock */
};

struct limits {
	const struct lab_ops *ops;
	struct lab_barrier barrier;
	union lab_lock lock;
	struct wait wait[WAITERS + 1];
	u32 turns;
	u32 came;    /* number of waiters that have called */
	int hold_ms; /* the first owner */
};

static void sleep_ms(int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NSEC_PER_MSEC };

	nanosleep(&t, NULL);
}

/*
 * Waits until waiter @cpu has set the pending bit, swapped the tail, or returned. Waiters of an
 * unfair lock have no place.
 */
static void wait_for(struct limits *l, int cpu)
{
	u32 want = cpu == 1 ? _Q_PENDING_MASK : _Q_TAIL_CPU_MASK;
	u32 is = cpu == 1 ? (u32)_Q_PENDING_VAL : (u32)(cpu + 1) << _Q_TAIL_CPU_OFFSET;

	lab_wait_u32(&l->came, cpu);
	while (cpu && !(l->ops->flags & LAB_UNFAIR) && (READ_ONCE(l->lock.word) & want) != is &&
	       !READ_ONCE(l->wait[cpu].took))
		lab_poll();
}

static void owner_play(struct limits *l, int ms)
{
	sleep_ms(ms);
	l->ops->unlock(&l->lock, NULL);
}

static void waiter_play(struct limits *l, int cpu)
{
	struct wait *w = &l->wait[cpu];
	u64 start;

	wait_for(l, cpu - 1);
	sleep_ms(APART_MS);
	lab_add_u32(&l->came);
	start = shim_clock();
	w->ret = l->ops->lock(&l->lock, NULL);
	WRITE_ONCE(w->took, shim_clock() - start);
	if (w->ret)
		return;
	w->turn = ++l->turns;
	owner_play(l, HOLD_MS);
}

static void limits_play(int cpu, void *arg)
{
	struct limits *l = arg;

	if (!cpu && l->ops->lock(&l->lock, NULL))
		abort();
	lab_meet(&l->barrier);
	if (cpu)
		waiter_play(l, cpu);
	else
		owner_play(l, l->hold_ms);
}

/* The first waiter has the pending bit, the others stand in the queue. */
static u64 limit_of(const struct lab_ops *ops, int cpu)
{
	if (ops->flags & LAB_TAS)
		return RES_TAS_TIMEOUT;
	return cpu == 1 && !(ops->flags & LAB_UNFAIR) ? RES_DEF_TIMEOUT : 2 * RES_DEF_TIMEOUT;
}

struct sums {
	int timeouts, wrong, late, early, order;
	u64 longest;
};

static struct sums limits_judge(const struct limits *l)
{
	struct sums s = { 0 };
	u32 turn = 0;
	int i;

	for (i = 1; i <= WAITERS; i++) {
		const struct wait *w = &l->wait[i];

		s.timeouts += w->ret == -ETIMEDOUT;
		s.wrong += w->ret && w->ret != -ETIMEDOUT;
		s.late += w->ret && w->took > limit_of(l->ops, i) + SLACK_NS;
		s.early += w->ret && w->took < limit_of(l->ops, i);
		s.order += !w->ret && w->turn != ++turn && !(l->ops->flags & LAB_UNFAIR);
		s.longest = max(s.longest, w->took);
	}
	return s;
}

static struct sums play_out(const struct lab_ops *ops, int hold_ms)
{
	static struct limits l;
	struct sums s;

	memset(&l, 0, sizeof(l));
	l.ops = ops;
	l.hold_ms = hold_ms;
	l.barrier.n = WAITERS + 1;
	ops->init(&l.lock);
	shim_yield_every = YIELD_EVERY;
	lab_team(WAITERS + 1, limits_play, &l);
	s = limits_judge(&l);
	s.wrong += !res_is_free(l.lock.word);
	printf("%s: %d waiters, one each %d ms, behind an owner that holds %d ms: %u acquired, "
	       "%d timed out\n",
	       ops->name, WAITERS, APART_MS, hold_ms, l.turns, s.timeouts);
	printf("  longest wait %llu ms; %d longer than the limit + %d ms, %d failed before it, "
	       "%d out of turn, other errors %d\n",
	       (unsigned long long)(s.longest / NSEC_PER_MSEC), s.late, SLACK_MS, s.early, s.order,
	       s.wrong);
	return s;
}

bool waits_limits(const struct lab_ops *ops)
{
	struct sums moving = play_out(ops, HOLD_MS), stalled = play_out(ops, STALL_MS);

	return !moving.timeouts && !moving.wrong && !moving.order && !stalled.wrong &&
	       !stalled.late && !stalled.early && stalled.timeouts == WAITERS;
}
