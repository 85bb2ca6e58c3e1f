/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times into a histogram that belongs to one CPU: no lock, no atomic operation. */
#ifndef BENCH_HISTOGRAM_BPF_H
#define BENCH_HISTOGRAM_BPF_H

#include "histogram.h"

static __u32 histogram_bucket(__u64 ns)
{
	__u32 log = 4;

	if (ns < HISTOGRAM_STEPS)
		return ns;
	for (int i = 0; i < 26 && ns >> (log + 1); i++)
		log++;
	return (log - 3) * HISTOGRAM_STEPS + ((ns >> (log - 4)) & (HISTOGRAM_STEPS - 1));
}

static __always_inline void histogram_add(struct histogram *h, __u64 ns)
{
	__u32 bucket = histogram_bucket(ns);

	if (bucket >= HISTOGRAM_BUCKETS)
		bucket = HISTOGRAM_BUCKETS - 1;
	h->bucket[bucket]++;
	h->count++;
	if (ns > h->longest)
		h->longest = ns;
}

#endif
