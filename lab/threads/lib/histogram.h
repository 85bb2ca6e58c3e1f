/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often something took how long, or was how much. For the lab and for BPF programs: one thread
 * or CPU writes a histogram, without a lock or an atomic operation.
 */
#ifndef LAB_HISTOGRAM_H
#define LAB_HISTOGRAM_H

/* 16 steps for each power of two: from 2^4 to 2^36. */
#define HISTOGRAM_STEPS	  16
#define HISTOGRAM_BUCKETS (33 * HISTOGRAM_STEPS)

struct histogram {
	unsigned long long count;
	unsigned long long longest;
	unsigned long long bucket[HISTOGRAM_BUCKETS];
};

/* The highest bit of a value from 16 on. BPF has no instruction for it. */
static inline unsigned int histogram_log(unsigned long long value)
{
#ifdef __bpf__
	unsigned int log = 4;

	for (int i = 0; i < 32 && value >> (log + 1); i++)
		log++;
	return log;
#else
	return 63 - __builtin_clzll(value);
#endif
}

static inline unsigned int histogram_bucket(unsigned long long value)
{
	unsigned int log;

	if (value < HISTOGRAM_STEPS)
		return value;
	log = histogram_log(value);
	return (log - 3) * HISTOGRAM_STEPS + ((value >> (log - 4)) & (HISTOGRAM_STEPS - 1));
}

static inline __attribute__((always_inline)) void histogram_add(struct histogram *h,
								unsigned long long value)
{
	unsigned int bucket = histogram_bucket(value);

	if (bucket >= HISTOGRAM_BUCKETS)
		bucket = HISTOGRAM_BUCKETS - 1;
	h->bucket[bucket]++;
	h->count++;
	if (value > h->longest)
		h->longest = value;
}

void histogram_merge(struct histogram *sum, const struct histogram *h);

/* The largest value that belongs to the bucket. */
unsigned long long histogram_value(int bucket);

/* A value that the part @p of all does not exceed: at most a sixteenth above the true one. */
unsigned long long histogram_quantile(const struct histogram *h, double p);

/* Members of an object of JSON: count, p50, p99, longest. */
void histogram_print(const struct histogram *h);

#endif /* LAB_HISTOGRAM_H */
