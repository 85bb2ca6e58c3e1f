/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading a ring whose writers overwrite the oldest: move the head, number 0, fill, number. Every
 * slot begins with its number, 1 + its position in the ring's history.
 */
#ifndef RQSPIN_SOURCES_RING_READER_H
#define RQSPIN_SOURCES_RING_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_HOLES 64

/**
 * struct ring_view - where the ring is
 * @head: slots ever reserved
 * @until: an earlier head, to read no further; NULL: to @head
 * @slots: the last @nr of them
 * @size: bytes from one to the next
 * @nr: how many there are
 */
struct ring_view {
	const __u64 *head;
	const __u64 *until;
	const void *slots;
	size_t size;
	__u64 nr;
};

/**
 * struct ring_reader - how far one has read; all zeroes to begin with
 * @pos: slots consumed
 * @lost: of them, overwritten before they were read, or never filled
 * @holes: reserved and not filled when they were read; what comes behind them does not wait
 * @nr_holes: how many of @holes there are
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
 * Hand out what is new; copy has room for one slot. last: there will be no other call, so what is
 * not filled is lost. -ERANGE: the head is not where writers leave it, reading goes on from there.
 */
int ring_read(struct ring_reader *r, const struct ring_view *v, bool last, void *copy, ring_fn fn,
	      void *ctx);

/* Copy what is in place of pos, if it is that and stays that while it is copied. */
bool ring_copy(const void *slot, __u64 pos, void *copy, size_t size);

#endif
