/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by programs and drivers: how often something took how long. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

/* 16 steps for each power of two of ns: from 2^4 to 2^30. */
#define HISTOGRAM_STEPS	  16
#define HISTOGRAM_BUCKETS (27 * HISTOGRAM_STEPS)

struct histogram {
	__u64 count;
	__u64 longest; /* ns */
	__u32 bucket[HISTOGRAM_BUCKETS];
};

void histogram_merge(struct histogram *sum, const struct histogram *h);

/* The longest time that belongs to the bucket, ns. */
unsigned long long histogram_ns(int bucket);

/* A time that the part @p of all does not exceed, ns: at most a sixteenth above the true one. */
unsigned long long histogram_quantile(const struct histogram *h, double p);

/* Members of an object of JSON: count, p50, p99, longest. */
void histogram_print(const struct histogram *h);

#endif
