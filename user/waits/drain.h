/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits that are taken out of the kernel's tables, for who counts for months: addresses of programs
 * and locks that are gone leave no entries behind.
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
 * @prog_unknown: it may be a program that was gone before anybody looked
 * @lock: address
 * @cgroup: id, 0: waits are not told apart by cgroups
 * @when_ns: of the first one
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
 * Hand out what was counted since the last time, @lock 0 for waits that found no entry. Looks for
 * programs and maps first. False: a CPU was in the middle of counting, and nothing has been handed
 * out; nothing is lost, ask again.
 */
bool waits_drain(struct waits *w, struct proginfos *progs, struct locknames *locks,
		 wait_drained_fn fn, void *ctx);

#endif
