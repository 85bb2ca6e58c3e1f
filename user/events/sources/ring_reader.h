/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a ring whose writers overwrite the oldest slots. A writer moves the head, sets the number
 * of the slot to 0, fills the slot, and sets its number. Every slot begins with its number, 1 + its
 * position in the ring's history.
 */
#ifndef RQSPIN_SOURCES_RING_READER_H
#define RQSPIN_SOURCES_RING_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_HOLES 64

/**
 * struct ring_view - where the ring is
 * @head: number of slots ever reserved
 * @until: an earlier head, to read no further; NULL: to @head
 * @slots: the latest @nr slots
 * @size: bytes from one slot to the next
 * @nr: number of slots
 */
struct ring_view {
	const __u64 *head;
	const __u64 *until;
	const void *slots;
	size_t size;
	__u64 nr;
};

/**
 * struct ring_reader - state of one reader; initially all zeroes
 * @pos: slots consumed
 * @lost: how many of these were overwritten before they were read, or never filled
 * @holes: slots that were reserved but not filled when they were read; later slots do not wait for
 * them
 * @nr_holes: entries of @holes
 */
struct ring_reader {
	__u64 pos;
	__u64 lost;
	struct ring_hole {
		__u64 pos, since;
	} holes[RING_HOLES];
	int nr_holes;
};

/* slot: a copy; it is valid during the call. */
typedef void (*ring_fn)(const void *slot, void *ctx);

/*
 * Hands out new events; copy has room for one slot. last: there will be no other call, so slots
 * that are not filled are lost. 0, or -ERANGE: the head is not where writers leave it, and reading
 * goes on from there.
 */
int ring_read(struct ring_reader *r, const struct ring_view *v, bool last, void *copy, ring_fn fn,
	      void *ctx);

/*
 * Copies the slot of event number pos. False if the slot has another event, or changes during the
 * copy.
 */
bool ring_copy(const void *slot, __u64 pos, void *copy, size_t size);

#endif
