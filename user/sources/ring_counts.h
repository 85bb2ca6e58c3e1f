/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts in a program's own ring: what of its failures was lost. They are in the program's
 * memory, so nothing in them is to be trusted.
 */
#ifndef RQSPIN_SOURCES_RING_COUNTS_H
#define RQSPIN_SOURCES_RING_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>

#include "rqspin/event.h"
#include "trace/losses.h"

/**
 * struct ring_counts - what has been made of a ring's groups; all zeroes to begin with
 * @ring: while it is in memory
 * @groups: its groups
 * @counts: of each group, at the last look
 * @seen: of these handed out, or from before the first look
 * @lost: of these known to be lost
 * @others_unasked: failures of no group in locks that the kernel was not asked for, at the last
 * look
 * @others_seen: of these handed out, or from before the first look
 * @lost_unasked: failures in such locks known to be lost, of groups and others
 * @likes: a failure as the group's are, NULL: not yet looked at, or not valid
 * @used: groups in use, when the likes were made
 */
struct ring_counts {
	const struct rqspin_ring *ring;
	const struct rqspin_group *groups;
	__u64 counts[RQSPIN_RING_GROUPS];
	__u64 seen[RQSPIN_RING_GROUPS];
	__u64 lost[RQSPIN_RING_GROUPS];
	__u64 others_unasked, others_seen, lost_unasked;
	struct failure *likes[RQSPIN_RING_GROUPS];
	__u32 used;
};

/* Completes a failure, of which the event is filled in, while its program has a name. */
typedef void (*ring_like_fn)(struct failure *like, void *ctx);

/* nr: events that the ring has room for. The groups are behind them. */
void ring_counts_over(struct ring_counts *c, const struct rqspin_ring *ring, __u64 nr);

/*
 * Look at the counts. True: they are those of the first *head events, no more and no less. False:
 * failures are being written down right now.
 */
bool ring_counts_look(struct ring_counts *c, __u64 *head);

/* What has been counted until the last look is not wanted. */
void ring_counts_skip(struct ring_counts *c);

/* Was the kernel not asked for its lock? */
bool ring_counts_unasked(const struct rqspin_event *ev);

/* An event is being handed out. */
void ring_counts_saw(struct ring_counts *c, const struct rqspin_event *ev);

/* All events up to the last look have been handed out or are lost. */
void ring_counts_settle(struct ring_counts *c, ring_like_fn complete, void *ctx);

/* Of lost events, what each group has lost. Returns how many have no group. */
__u64 ring_counts_losses(const struct ring_counts *c, __u64 lost, loss_fn fn, void *ctx);

void ring_counts_end(struct ring_counts *c);

#endif
