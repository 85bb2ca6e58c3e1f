// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <time.h>

#include <kernel/bpf/rqspinlock.h>

#include "judge.h"
#include "stress.h"

#define AGAIN_IN 64 /* one attempt in so many is for a lock that the context holds */

union lab_lock work_lock[GHOST_LOCKS];
__thread u32 last_kind;

const struct workload workloads[] = {
	{ .name = "one-lock", .locks = 1, .nest = 1, .hold = 8 },
	{ .name = "pairs-of-4", .locks = 4, .nest = 2, .hold = 8 },
	{ .name = "many-locks", .locks = 48, .nest = 2, .hold = 2 },
	{ .name = "triples-of-5", .locks = 5, .nest = 3, .hold = 8 },
	{ .name = "stolen-time", .locks = 3, .nest = 2, .hold = 2, .steal_us = 20 },
	{ .name = "stolen-time-8-locks", .locks = 8, .nest = 4, .hold = 2, .steal_us = 20 },
	{ .name = "stolen-time-4-threads",
	  .threads = 4,
	  .locks = 4,
	  .nest = 2,
	  .hold = 2,
	  .steal_us = 60 },
	{ .name = "8-threads", .threads = 8, .locks = 6, .nest = 3, .hold = 8 },
	{ .name = "16-threads-2-locks", .threads = 16, .locks = 2, .nest = 2, .hold = 4 },
	{ .name = "interrupts", .locks = 6, .nest = 2, .hold = 8, .interrupts = 3 },
	{ .name = "interrupts-6-threads",
	  .threads = 6,
	  .locks = 8,
	  .nest = 2,
	  .hold = 8,
	  .interrupts = 3 },
	{ .name = "long-holds",
	  .locks = 3,
	  .nest = 2,
	  .hold = 8,
	  .long_hold_us = 20000,
	  .long_hold_in = 2000 },
	{ .name = "frozen-owners",
	  .threads = 4,
	  .locks = 3,
	  .nest = 2,
	  .hold = 8,
	  .freeze_us = 300000,
	  .freeze_in = 1000 },
	{ 0 }
};

u32 random_below(u64 *seed, u32 below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed >> 33) % below;
}

void spin_us(u64 us)
{
	u64 end = shim_clock() + us * NSEC_PER_USEC;

	while (shim_clock() < end)
		cpu_relax();
}

static void freeze_us(u32 us)
{
	struct timespec t = { .tv_nsec = us * 1000UL };

	nanosleep(&t, NULL);
}

static bool once_in(u64 *seed, u32 n)
{
	return n && !random_below(seed, n);
}

static void with_locks_held(const struct workload *w, const struct ghost_ctx *c, u64 *seed)
{
	u32 i;

	for (i = random_below(seed, w->hold + 1); i; i--)
		cpu_relax();
	if (c->level)
		return;
	if (once_in(seed, w->long_hold_in))
		spin_us(w->long_hold_us);
	if (once_in(seed, w->freeze_in))
		freeze_us(w->freeze_us);
}

static u64 limit_of(const struct lab_ops *ops)
{
	return ops->flags & LAB_TAS ? RES_TAS_TIMEOUT : RES_DEF_TIMEOUT;
}

static bool work_take(const struct lab_ops *ops, struct ghost_ctx *c, int lock)
{
	int err;

	ghost_want(c, lock);
	last_kind = RES_KIND_NONE;
	err = ops->lock(&work_lock[lock], NULL);
	if (!err) {
		ghost_got(c);
		return true;
	}
	judge_failure(c, err, last_kind, limit_of(ops));
	ghost_gave_up(c);
	return false;
}

static void give_back(const struct lab_ops *ops, struct ghost_ctx *c, int lock)
{
	ghost_release(c, lock);
	ops->unlock(&work_lock[lock], NULL);
	ghost_released(c);
}

void work_once(const struct workload *w, const struct lab_ops *ops, struct ghost_ctx *c, u64 *seed)
{
	int have[GHOST_HELD], n = 0, want = 1 + random_below(seed, w->nest), i;

	while (n < want) {
		int lock = random_below(seed, w->locks);

		if (ghost_holds(c, lock) && random_below(seed, AGAIN_IN) && n < w->locks)
			break;
		if (!work_take(ops, c, lock))
			break;
		have[n++] = lock;
	}
	with_locks_held(w, c, seed);
	while (n) {
		i = random_below(seed, n);
		give_back(ops, c, have[i]);
		have[i] = have[--n];
	}
}
