/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for locks, also those that end well, by the name of the lock: top --waits. */
#ifndef RQSPIN_TOP_CONTENTION_H
#define RQSPIN_TOP_CONTENTION_H

#include <linux/types.h>
#include <stddef.h>

#include "counts/series.h"

/**
 * struct contended - waits for one lock
 * @lock: its name
 * @count: waits that are over
 * @total_ns: added up
 * @max_ns: the longest
 */
struct contended {
	char lock[SERIES_LOCK];
	__u64 count, total_ns, max_ns;
};

struct contention;

/* 0, or -errno after printing why. */
int contention_open(struct contention **c);
void contention_close(struct contention *c);

/* Name new waits: their program may be gone at the next refresh. 0 or -ENOMEM. */
int contention_look(struct contention *c);

/* The locks as they are now, an array of *nr to be freed; NULL: out of memory. */
struct contended *contention_locks(const struct contention *c, size_t *nr);

/* Waits that are counted for none of these locks. */
__u64 contention_dropped(const struct contention *c);

#endif
