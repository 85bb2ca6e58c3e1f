/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts of the tracer's BPF programs on one CPU: they show how many failures were lost, by
 * group.
 */
#ifndef RQSPIN_SOURCES_WITNESS_COUNTS_H
#define RQSPIN_SOURCES_WITNESS_COUNTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "witness.h"

/**
 * struct witness_counts - state of the reader of the counts
 * @head: the CPU's head
 * @groups: its groups, NULL: there are none
 * @size: bytes from one group to the next
 * @counts: failures of each group, at the last look
 * @seen: how many of @counts were handed out
 * @lost: how many of @counts are known to be lost
 * @all: failures known to be lost, with or without a group
 * @used: indexes of the groups in use
 * @nr_used: entries of @used
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

/* c: initially all zeroes */
void witness_counts_over(struct witness_counts *c, const struct witness_head *head,
			 const char *groups, size_t size);

/*
 * Reads the counts. True: they count exactly the first *head failures. False: failures are being
 * recorded right now.
 */
bool witness_counts_look(struct witness_counts *c, __u64 *head);

/* Counts a failure as handed out. group: 1 + the index of its group, or 0. */
void witness_counts_saw(struct witness_counts *c, __u32 group);

/*
 * Computes the losses of each group. All failures up to the last look must have been handed out,
 * except so many that are lost.
 */
void witness_counts_settle(struct witness_counts *c, __u64 lost);

const struct witness_group *witness_counts_group(const struct witness_counts *c, __u32 nth);

#endif
