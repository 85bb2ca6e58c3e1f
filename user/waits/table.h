/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits by the names of lock and callers, whichever CPU waited. */
#ifndef RQSPIN_WAITS_TABLE_H
#define RQSPIN_WAITS_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "output/lock_view.h"
#include "waits.h"

struct cgroupnames;
struct waits;

/**
 * struct wait_row - waits for one lock from one place
 * @lock: its name, "" if it is unknown
 * @site: the innermost caller that is not part of the lock, as call_put() prints it
 * @stack: "outermost;...;innermost", as flame graphs want it
 * @cgroup: name, NULL: cgroups are not counted separately
 * @cgroup_id: 0 in the same way
 * @sum: how many, and how long
 */
struct wait_row {
	char lock[320];
	char *site, *stack, *cgroup;
	__u64 cgroup_id;
	struct waits_sum sum;
};

struct wait_table {
	struct wait_row *rows;
	size_t nr;
	struct wait_row *seen; /* in the order of waits_at() */
	bool *found;	       /* rows of @seen that need a name */
	size_t nr_seen;
};

int wait_table_init(struct wait_table *t, const struct waits *w); /* -ENOMEM */

/*
 * Find entries that have no name yet; then, after a scan for programs and maps, name them. @view:
 * for everything but @when_ns. @cgroups: NULL: none. 0 or -ENOMEM.
 */
void wait_table_find(struct wait_table *t, const struct waits *w);
int wait_table_name(struct wait_table *t, const struct waits *w, const struct lock_view *view,
		    struct cgroupnames *cgroups);

/* Add up, the longest total first. -ENOMEM. */
int wait_table_sum(struct wait_table *t, const struct waits *w);
void wait_table_free(struct wait_table *t);

#endif
