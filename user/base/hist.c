// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>

#include "base/hist.h"

void hist_add(struct hist *h, uint64_t ns)
{
	h->buckets[sample_bucket(ns)]++;
	h->total++;
}

void hist_merge(struct hist *h, const uint32_t buckets[SAMPLE_BUCKETS])
{
	for (unsigned int i = 0; i < SAMPLE_BUCKETS; i++) {
		h->buckets[i] += buckets[i];
		h->total += buckets[i];
	}
}

void hist_merge_hist(struct hist *h, const struct hist *other)
{
	for (unsigned int i = 0; i < SAMPLE_BUCKETS; i++)
		h->buckets[i] += other->buckets[i];
	h->total += other->total;
}

static uint64_t upper_edge(unsigned int bucket)
{
	/* The groups beyond 2^64 exist in the array but can hold nothing. */
	if (bucket >= (64 - SAMPLE_SUB_BITS + 1) * SAMPLE_SUBS - 1)
		return UINT64_MAX;
	return sample_bucket_low(bucket + 1) - 1;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
	uint64_t rank = ceil(q * h->total), seen = 0;

	if (!h->total)
		return 0;
	if (!rank)
		rank = 1;
	for (unsigned int i = 0; i < SAMPLE_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return upper_edge(i);
	}
	return UINT64_MAX;
}

bool hist_percentiles(const struct hist *h, struct percentiles *p)
{
	p->p50 = hist_quantile(h, 0.5);
	p->p90 = hist_quantile(h, 0.9);
	p->p99 = hist_quantile(h, 0.99);
	p->max = hist_quantile(h, 1);
	return h->total;
}
