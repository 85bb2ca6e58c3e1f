/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures by program, lock and kind, as counters that never go down and whose number is limited.
 */
#ifndef RQSPIN_METRICS_SERIES_H
#define RQSPIN_METRICS_SERIES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct failure;
struct locknames;

#define SERIES_PROG 64
#define SERIES_LOCK 320

/**
 * struct series - one counter; the members before @seen are its key
 * @prog: the program's name, "" if unknown or if there were too many series
 * @lock: the lock's name, "" in the same way
 * @kind: enum rqspin_kind
 * @zero: no padding in the key
 * @seen: failures that were handed out
 * @lost: failures that were not, but are known to be like these
 * @total: the value for readers, made by series_settle()
 * @waited: of @seen, those whose wait is known
 * @wait_ns: their waits added up
 * @wait_max_ns: the longest of them
 */
struct series {
	char prog[SERIES_PROG];
	char lock[SERIES_LOCK];
	__u32 kind, zero;
	__u64 seen, lost, total;
	__u64 waited, wait_ns, wait_max_ns;
};

struct series_table;

/* @max: so many series at most have names of program and lock; the others are one per kind. */
struct series_table *series_new(size_t max);
void series_free(struct series_table *t);

#define SERIES_NONE ((size_t)-1)

/* Counts a failure that was handed out. Its series, or SERIES_NONE: no memory to count it. */
size_t series_seen(struct series_table *t, const struct failure *f, struct locknames *names);

/*
 * By now @nr failures like this one are lost: since the beginning, not since the last call. @like:
 * as loss_fn gets it, NULL if nothing is known of them. False: out of memory, they are not counted.
 */
bool series_lost(struct series_table *t, const struct failure *like, __u64 nr,
		 struct locknames *names);

/* Around the calls of series_lost(): reset the lost failures, then make totals of them. */
void series_begin_losses(struct series_table *t);
void series_settle(struct series_table *t);

/* Addresses may belong to other locks from now on. */
void series_forget_addresses(struct series_table *t);

size_t series_nr(const struct series_table *t);
const struct series *series_at(const struct series_table *t, size_t i);
bool series_full(const struct series_table *t); /* were there more than max? */

#endif
