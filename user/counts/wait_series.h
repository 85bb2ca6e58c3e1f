/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits by program, lock and perhaps cgroup, as histograms that never shrink and whose number is
 * limited. */
#ifndef RQSPIN_METRICS_WAIT_SERIES_H
#define RQSPIN_METRICS_WAIT_SERIES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "counts/series.h"
#include "names/cgroupname.h"
#include "waits.h"

/**
 * struct wait_series - one histogram; the members before @sum are its key
 * @prog: the program's name, "" if there is none or it is unknown
 * @lock: the lock's name, "" if it is unknown
 * @cgroup: name of the waiting tasks' cgroup, "" if not asked for
 * @sum: the waits
 */
struct wait_series {
	char prog[SERIES_PROG];
	char lock[SERIES_LOCK];
	char cgroup[CGROUP_NAME];
	struct waits_sum sum;
};

struct wait_histograms;

/* @max: so many histograms at most have names of program, lock, cgroup; the others are one. */
struct wait_histograms *wait_series_new(size_t max);
void wait_series_free(struct wait_histograms *t);

/* All names may be "". False: out of memory, nothing was counted. */
bool wait_series_add(struct wait_histograms *t, const char *prog, const char *lock,
		     const char *cgroup, const struct waits_sum *sum);

/* Waits for unknown locks: there was no room to keep which lock it was. */
bool wait_series_add_other(struct wait_histograms *t, const struct waits_sum *sum);

size_t wait_series_nr(const struct wait_histograms *t);
const struct wait_series *wait_series_at(const struct wait_histograms *t, size_t i);

/* Waits in the series without names, because there was no room for series of their own. */
__u64 wait_series_others(const struct wait_histograms *t);
bool wait_series_full(const struct wait_histograms *t); /* were there more than max? */

#endif
