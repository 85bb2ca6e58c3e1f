// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <linux/types.h>

#include "rqspin/event.h"
#include "events/sources/event_valid.h"

#define ERRNO_MAX 4095
#define CPUS_MAX  65536
#define HELD_MAX  4096 /* more locks than anybody can hold */

static bool tid_valid(__u32 tid)
{
	return tid <= INT_MAX || tid == RQSPIN_TID_UNKNOWN;
}

static bool held_valid(__u32 nr)
{
	return nr <= HELD_MAX || nr == RQSPIN_HELD_UNKNOWN;
}

bool event_valid(const struct rqspin_event *ev, __u64 now_ns)
{
	return ev->err < 0 && ev->err >= -ERRNO_MAX && ev->ts_ns <= now_ns &&
	       (ev->wait_ns <= now_ns || ev->wait_ns >= RQSPIN_WAIT_UNASKED) &&
	       ev->kind <= RQSPIN_NESTED && ev->parties <= CPUS_MAX && ev->cpu < CPUS_MAX &&
	       ev->owner_cpu >= -1 && ev->owner_cpu < CPUS_MAX && ev->pid <= INT_MAX &&
	       ev->tid <= INT_MAX && ev->line <= INT_MAX && held_valid(ev->nr_held) &&
	       held_valid(ev->nr_owner_held) && tid_valid(ev->owner_tid);
}
