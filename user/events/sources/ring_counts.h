/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts in a program's own ring: they show how many of its failures were lost. They are in the
 * program's memory, so they cannot be trusted.
 */
#ifndef RQSPIN_SOURCES_RING_COUNTS_H
#define RQSPIN_SOURCES_RING_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>

#include "rqspin/event.h"
#include "events/losses.h"

/**
 * struct ring_counts - state of the reader of a ring's groups; initially all zeroes
 * @ring: the ring, while it is in memory
 * @groups: its groups
 * @counts: failures of each group, at the last look
 * @seen: how many of @counts were handed out, or skipped
 * @lost: how many of @counts are known to be lost
 * @others_unasked: failures without a group in locks that the kernel was not asked for, at the last
 * look
 * @others_seen: how many of @others_unasked were handed out, or skipped
 * @lost_unasked: failures in such locks known to be lost, with or without a group
 * @likes: a failure like those of each group, NULL: not yet looked at, or not valid
 * @used: groups in use when @likes was updated
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

/* Completes a failure whose event is filled in, while the name of its program is known. */
typedef void (*ring_like_fn)(struct failure *like, void *ctx);

/* nr: events that the ring has room for. The groups are behind them. */
void ring_counts_over(struct ring_counts *c, const struct rqspin_ring *ring, __u64 nr);

/*
 * Reads the counts. True: they count exactly the first *head events. False: failures are being
 * recorded right now.
 */
bool ring_counts_look(struct ring_counts *c, __u64 *head);

/* Skips all events up to the last look. */
void ring_counts_skip(struct ring_counts *c);

/* Is the event of a lock that the kernel was not asked for? */
bool ring_counts_unasked(const struct rqspin_event *ev);

/* Counts an event as handed out. */
void ring_counts_saw(struct ring_counts *c, const struct rqspin_event *ev);

/* Computes the losses. All events up to the last look must have been handed out or be lost. */
void ring_counts_settle(struct ring_counts *c, ring_like_fn complete, void *ctx);

/*
 * Passes the losses of each group to fn, at most lost events in all. Returns how many have no
 * group.
 */
__u64 ring_counts_losses(const struct ring_counts *c, __u64 lost, loss_fn fn, void *ctx);

void ring_counts_end(struct ring_counts *c);

#endif
