/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures that are alike: same kind, program, lock and line, by their names. */
#ifndef RQSPIN_TRACE_UNIQUE_H
#define RQSPIN_TRACE_UNIQUE_H

#include <linux/types.h>
#include <stdbool.h>

struct failure;
struct lockname;
struct locknames;
struct unique;

struct unique *unique_new(void);
void unique_free(struct unique *u);

/* Counts the failure. True: it is the first of its kind (or there is no memory to know). */
bool unique_first(struct unique *u, const struct failure *f, struct locknames *names);

/*
 * Called with the first of each group of failures that are alike, and with the number of later
 * ones, which is not 0. wanted: the name that its lock had at that time, since its map may be gone;
 * NULL: no lock is known.
 */
typedef int (*unique_fn)(const struct failure *first, const struct lockname *wanted, __u64 again,
			 void *ctx);
int unique_repeats(const struct unique *u, unique_fn fn, void *ctx); /* stops when fn() is not 0 */

#endif
