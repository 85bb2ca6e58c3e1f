/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes waits out of the kernel's tables, so that counting can go on for months: addresses of
 * programs and locks that are gone leave no entries behind.
 */
#ifndef RQSPIN_WAITS_DRAIN_H
#define RQSPIN_WAITS_DRAIN_H

#include <linux/types.h>
#include <stdbool.h>

#include "waits.h"

struct locknames;
struct proginfo;
struct proginfos;
struct waits;

/**
 * struct wait_drained - waits for one lock from one place, since the last time
 * @prog: the program that waited, NULL: none, or unknown
 * @prog_unknown: the waiting program may have been gone before the scan for programs
 * @lock: address
 * @cgroup: id, 0: cgroups are not counted separately
 * @when_ns: when the first one was
 * @sum: how many, and how long
 */
struct wait_drained {
	const struct proginfo *prog;
	__u64 lock, cgroup, when_ns;
	const struct waits_sum *sum;
	bool prog_unknown;
};

typedef void (*wait_drained_fn)(const struct wait_drained *d, void *ctx);

/*
 * Hand out what was counted since the last time, with @lock 0 for waits that found no entry. Looks
 * for programs and maps first. False: a CPU was in the middle of counting. Then nothing has been
 * handed out and nothing is lost: call it again.
 */
bool waits_drain(struct waits *w, struct proginfos *progs, struct locknames *locks,
		 wait_drained_fn fn, void *ctx);

#endif
