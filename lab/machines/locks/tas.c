// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Our test-and-set (docs/lock.md, section 2). Plain: the pause grows by one half with every lost
 * race and is halved by success. Auto: every look makes the pause longer, and acquiring the lock
 * after a pause makes it shorter. That is the auto-tuned back-off of the ticket lock with one CPU
 * ahead, because a waiter has no place in a queue.
 */
#include <errno.h>

#include "locks/backoff.h"
#include "locks/qspin.h"
#include "locks/lock.h"
#include "locks/watch.h"

#define TAS_LIMIT (1000 * SIM_MS)
#define MAX_PAUSE 1024

enum { PLAIN, AUTO };

struct tas_cpu {
	uint32_t pause;
	struct backoff delay;
};

static uint32_t pause_grow(uint32_t pause)
{
	pause += pause / 2 + 1;
	return pause < MAX_PAUSE ? pause : MAX_PAUSE;
}

static void back_off(struct sim_cpu *c, struct sim_lock *l, bool lost)
{
	struct tas_cpu *me = lock_cpu_state(l, c->id);

	if (l->ops->param == AUTO) {
		backoff_grow(&me->delay);
		sim_pause(c, backoff_loops(&me->delay, 1));
		return;
	}
	if (lost)
		me->pause = pause_grow(me->pause);
	sim_pause(c, me->pause + 1);
}

static int tas_wait(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	struct tas_cpu *me = lock_cpu_state(l, c->id);

	for (int spins = 1;; spins++) {
		bool lost = !sim_read(c, &l->word);
		int ret;

		if (lost && !sim_cas(c, &l->word, 0, res_tag(c->id))) {
			if (spins > 1)
				backoff_shrink(&me->delay);
			break;
		}
		ret = spins % 8 ? 0 : res_check(c, l, k);
		if (ret)
			return ret;
		back_off(c, l, lost);
	}
	me->pause /= 2;
	l->unfair++;
	return 0;
}

static int tas_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val = sim_cas(c, &l->word, 0, res_tag(c->id));
	struct res_look k;
	int ret = 0;

	if (val && res_mine(c, val))
		return -EDEADLK;
	if (val) {
		res_wait_begin(c, l, &k, TAS_LIMIT);
		ret = tas_wait(c, l, &k);
		res_wait_end(c, l);
	}
	return ret;
}

const struct lock_ops tas_lock = {
	.name = "tas",
	.source = "docs/lock.md",
	.state = sizeof(struct tas_cpu),
	.param = PLAIN,
	.acquire = tas_acquire,
	.release = q_release,
	.finds_deadlocks = true,
};

const struct lock_ops tas_auto_lock = {
	.name = "tas-auto",
	.source = "docs/lock.md, with Rik van Riel's auto-tuning",
	.state = sizeof(struct tas_cpu),
	.param = AUTO,
	.acquire = tas_acquire,
	.release = q_release,
	.finds_deadlocks = true,
};
