/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program waits for its partner, which a busy machine may delay for seconds. */
#ifndef RQSPIN_TEST_WAIT_VALUE_H
#define RQSPIN_TEST_WAIT_VALUE_H

#include <bpf/bpf_helpers.h>

#define WAIT_TURNS 1024 /* times 2^20 spins: seconds, and more than any time limit of a lock */

/* If the condition never becomes true the wait ends anyway; the test then sees wrong counts. */
#define WAIT_UNTIL(cond)                          \
	({                                        \
		__u32 i_, j_;                     \
		bool met_ = false;                \
                                                  \
		bpf_for(i_, 0, WAIT_TURNS) {      \
			bpf_for(j_, 0, 1 << 20) { \
				met_ = (cond);    \
				if (met_)         \
					break;    \
			}                         \
			if (met_)                 \
				break;            \
		}                                 \
		met_;                             \
	})

static __noinline bool wait_value(volatile __u64 *word, __u64 value)
{
	return WAIT_UNTIL(*word >= value);
}

/* Each round has @parties parties; the last one to arrive ends the wait of all. */
static __always_inline bool wait_parties(__u64 *arrived, __u64 parties)
{
	__u64 round = __sync_fetch_and_add(arrived, 1) / parties;

	return wait_value(arrived, (round + 1) * parties);
}

#endif
