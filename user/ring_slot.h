/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One slot of a ring whose writers overwrite the oldest: reserve, number 0, fill, number. */
#ifndef RQSPIN_RING_SLOT_H
#define RQSPIN_RING_SLOT_H

#include <linux/types.h>

enum ring_slot {
	SLOT_EMPTY, /* reserved at most: look again later */
	SLOT_READY,
	SLOT_GONE, /* overwritten, or being overwritten right now */
};

/*
 * What is in the slot of event number pos. A slot without a number is either not filled yet or
 * being filled anew: a writer moves the head before it takes the number away.
 */
static inline enum ring_slot ring_slot_state(const __u64 *seq, __u64 pos, const __u64 *head,
					     __u64 slots)
{
	__u64 number = __atomic_load_n(seq, __ATOMIC_ACQUIRE);

	if (number == pos + 1)
		return SLOT_READY;
	if (number > pos)
		return SLOT_GONE;
	return __atomic_load_n(head, __ATOMIC_ACQUIRE) - pos > slots ? SLOT_GONE : SLOT_EMPTY;
}

/* After copying: was it that event from the beginning to the end? */
static inline int ring_slot_still(const __u64 *seq, __u64 pos)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(seq, __ATOMIC_RELAXED) == pos + 1;
}

#endif
