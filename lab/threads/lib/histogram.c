// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "histogram.h"

void histogram_merge(struct histogram *sum, const struct histogram *h)
{
	sum->count += h->count;
	if (h->longest > sum->longest)
		sum->longest = h->longest;
	for (int b = 0; b < HISTOGRAM_BUCKETS; b++)
		sum->bucket[b] += h->bucket[b];
}

unsigned long long histogram_value(int bucket)
{
	int log = bucket / HISTOGRAM_STEPS + 3;

	if (bucket < HISTOGRAM_STEPS)
		return bucket;
	return ((HISTOGRAM_STEPS + bucket % HISTOGRAM_STEPS + 1ULL) << (log - 4)) - 1;
}

unsigned long long histogram_quantile(const struct histogram *h, double p)
{
	unsigned long long left = h->count - (unsigned long long)(p * h->count), value;
	int b = HISTOGRAM_BUCKETS;

	if (!left)
		left = 1;
	while (b-- && h->bucket[b] < left)
		left -= h->bucket[b];
	value = histogram_value(b < 0 ? 0 : b);
	return value < h->longest ? value : h->longest;
}

void histogram_print(const struct histogram *h)
{
	printf("\"count\": %llu, \"p50\": %llu, \"p99\": %llu, \"longest\": %llu", h->count,
	       histogram_quantile(h, 0.5), histogram_quantile(h, 0.99), h->longest);
}
