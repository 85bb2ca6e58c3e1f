/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counts at one time, with how fast they grow: what top shows until the next refresh. */
#ifndef RQSPIN_TOP_SNAPSHOT_H
#define RQSPIN_TOP_SNAPSHOT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "counts/series.h"
#include "output/screen/latest.h"
#include "events/losses.h"

struct contention;
struct counts;

/**
 * struct reading - the counts of one series at one time
 * @s: its counts
 * @rate: failures per second since the snapshot before
 * @latest: the latest failure as composed by print_body(), NULL: none was handed out; owned
 * @when: times of @latest
 */
struct reading {
	struct series s;
	double rate;
	char *latest;
	struct latest_when when;
};

/**
 * struct snapshot - all series at one time
 * @all: in the order of the series
 * @nr: of @all
 * @when_ns: CLOCK_MONOTONIC
 * @failures: all that were counted
 * @unnamed: of @failures, those counted by kind alone
 * @counted_only: of @failures, those that were not handed out one by one
 * @full: there were more names than there is room for; the other failures are in @unnamed
 * @rate: all failures per second
 * @losses: what is counted nowhere
 * @waits: waits are counted, in @contended
 * @contended: locks that somebody waited for
 * @nr_contended: of @contended
 * @waits_dropped: waits that are in none of @contended
 */
struct snapshot {
	struct reading *all;
	size_t nr;
	__u64 when_ns;
	__u64 failures, unnamed, counted_only;
	bool full;
	double rate;
	struct losses losses;
	bool waits;
	struct contended *contended;
	size_t nr_contended;
	__u64 waits_dropped;
};

/*
 * Take a new snapshot; rates are relative to the one that is in @s. -ENOMEM: @s stays as it was.
 * @latest may be NULL.
 */
int snapshot_take(struct snapshot *s, const struct counts *c, const struct latests *latest,
		  __u64 now);
/* Put in the waits as they are now. -ENOMEM. */
int snapshot_add_waits(struct snapshot *s, const struct contention *c);
void snapshot_free(struct snapshot *s);

#endif
