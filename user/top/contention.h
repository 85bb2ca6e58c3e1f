/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for locks, also those that end well, by the name of the lock: top --waits. */
#ifndef RQSPIN_TOP_CONTENTION_H
#define RQSPIN_TOP_CONTENTION_H

#include <linux/types.h>
#include <stddef.h>

#include "metrics/series.h"

/**
 * struct contended - a lock that somebody waited for
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

/* -errno after it has said why. */
int contention_open(struct contention **c);
void contention_close(struct contention *c);

/* Name what is new: a program may be gone at the next refresh. -ENOMEM. */
int contention_look(struct contention *c);

/* The locks as they are now, an array of *nr to be freed; NULL: out of memory. */
struct contended *contention_locks(const struct contention *c, size_t *nr);

/* Waits that are in none of them. */
__u64 contention_dropped(const struct contention *c);

#endif
