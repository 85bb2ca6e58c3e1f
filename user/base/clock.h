/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CLOCK_MONOTONIC, as BPF's bpf_ktime_get_ns() has it. */
#ifndef RQSPIN_BASE_CLOCK_H
#define RQSPIN_BASE_CLOCK_H

#include <linux/types.h>
#include <time.h>

static inline __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline double now_s(void)
{
	return now_ns() / 1e9;
}

#endif
