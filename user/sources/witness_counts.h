/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counts that the tracer's BPF programs keep on one CPU: what was lost, and of which groups. */
#ifndef RQSPIN_SOURCES_WITNESS_COUNTS_H
#define RQSPIN_SOURCES_WITNESS_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "witness.h"

/**
 * struct witness_counts - what has been made of them
 * @head: the CPU's
 * @groups: its groups, NULL: there are none
 * @size: bytes from one group to the next
 * @counts: of each group, at the last look
 * @seen: of these handed out
 * @lost: of these known to be lost
 * @all: failures known to be lost, in groups or not
 * @used: indexes of the groups in use
 * @nr_used: how many of @used there are
 * @known: the head's number of groups when @used was made
 */
struct witness_counts {
	const struct witness_head *head;
	const char *groups;
	size_t size;
	__u64 counts[WITNESS_GROUPS];
	__u64 seen[WITNESS_GROUPS];
	__u64 lost[WITNESS_GROUPS];
	__u64 all;
	__u16 used[WITNESS_GROUPS];
	__u32 nr_used;
	__u64 known;
};

/* c: all zeroes */
void witness_counts_over(struct witness_counts *c, const struct witness_head *head,
			 const char *groups, size_t size);

/*
 * Look at the counts. True: they are those of the first *head failures, no more and no less. False:
 * failures are being written down right now.
 */
bool witness_counts_look(struct witness_counts *c, __u64 *head);

/* A failure is being handed out; group: 1 + its index, or 0. */
void witness_counts_saw(struct witness_counts *c, __u32 group);

/* All failures up to the last look have been handed out, except so many that are lost. */
void witness_counts_settle(struct witness_counts *c, __u64 lost);

const struct witness_group *witness_counts_group(const struct witness_counts *c, __u32 nth);

#endif
