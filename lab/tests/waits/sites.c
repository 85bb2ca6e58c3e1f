// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long each function of the lock keeps interrupts off. */
#include <stdio.h>

#include "../../threads/lib/team.h"
#include "waits.h"

#define MAX_THREADS 16
#define MAX_SITES   16
/* 16 steps for each power of two of cycles. */
#define STEPS	    16
#define BUCKETS	    (40 * STEPS)
#define RUN_MS	    400
#define ENOUGH	    1000 /* stretches that a function needs before its p99 is judged */
#define YIELD_EVERY 20

struct site {
	const char *name;
	u64 count;
	u64 bucket[BUCKETS];
};

struct stretch {
	struct site site[MAX_SITES];
	const char *open;
	u64 since;
	bool on;
};

static struct stretch stretches[MAX_THREADS];
static SHIM_TLS struct stretch *mine;

static union lab_lock lock;
static u64 shared __attribute__((aligned(LAB_ALIGN)));

struct load {
	const struct lab_ops *ops;
	struct lab_barrier barrier;
};

static int bucket_of(u64 cycles)
{
	int log;

	if (cycles < STEPS)
		return cycles;
	log = 63 - __builtin_clzll(cycles);
	return (log - 3) * STEPS + ((cycles >> (log - 4)) & (STEPS - 1));
}

/* The longest stretch of the bucket. */
static u64 cycles_of(int bucket)
{
	int log = bucket / STEPS + 3;

	if (bucket < STEPS)
		return bucket;
	return ((u64)(STEPS + bucket % STEPS + 1) << (log - 4)) - 1;
}

void shim_site_open(const char *site)
{
	if (!mine)
		return;
	mine->open = site;
	mine->since = shim_cycles();
}

void shim_site_close(void)
{
	u64 cycles;
	int i;

	if (!mine || !mine->on)
		return;
	cycles = shim_cycles() - mine->since;
	for (i = 0; i < MAX_SITES - 1 && mine->site[i].name; i++) {
		if (mine->site[i].name == mine->open)
			break;
	}
	mine->site[i].name = mine->open;
	mine->site[i].count++;
	mine->site[i].bucket[min(bucket_of(cycles), BUCKETS - 1)]++;
}

static void sites_work(int cpu, void *arg)
{
	struct load *l = arg;
	u64 end;
	int i;

	mine = &stretches[cpu];
	lab_meet(&l->barrier);
	mine->on = true;
	end = shim_clock() + RUN_MS * NSEC_PER_MSEC;
	while (shim_clock() < end) {
		if (l->ops->lock(&lock, NULL))
			continue;
		shared++;
		for (i = 0; i < 8; i++)
			cpu_relax();
		l->ops->unlock(&lock, NULL);
	}
	mine->on = false;
}

/* Adds up all threads. Copies of a function have different name strings. */
static void add_up(int threads, struct site *sum)
{
	int t, i, k, b;

	memset(sum, 0, MAX_SITES * sizeof(*sum));
	for (t = 0; t < threads; t++) {
		for (i = 0; i < MAX_SITES && stretches[t].site[i].name; i++) {
			struct site *s = &stretches[t].site[i];

			for (k = 0; k < MAX_SITES - 1 && sum[k].name; k++) {
				if (!strcmp(sum[k].name, s->name))
					break;
			}
			sum[k].name = s->name;
			sum[k].count += s->count;
			for (b = 0; b < BUCKETS; b++)
				sum[k].bucket[b] += s->bucket[b];
		}
	}
}

static u64 site_quantile(const struct site *s, double p)
{
	u64 left = s->count - (u64)(p * s->count);
	int b = BUCKETS;

	if (!left)
		left = 1;
	while (b-- && s->bucket[b] < left)
		left -= s->bucket[b];
	return cycles_of(max(b, 0));
}

static u64 sites_measure(const struct lab_ops *ops, int waiters)
{
	static struct site sum[MAX_SITES];
	struct load l = { .ops = ops, .barrier.n = waiters + 1 };
	u64 longest = 0;
	int i;

	memset(stretches, 0, sizeof(stretches));
	ops->init(&lock);
	shim_yield_every = waiters + 1 > lab_cpus() ? YIELD_EVERY : 0;
	lab_team(waiters + 1, sites_work, &l);
	add_up(waiters + 1, sum);
	for (i = 0; sum[i].name; i++) {
		u64 p99 = site_quantile(&sum[i], 0.99), p999 = site_quantile(&sum[i], 0.999);

		printf("       %-15s %7d  %-20s %10llu %9llu %9llu %11llu\n", ops->name, waiters,
		       sum[i].name, (unsigned long long)sum[i].count, (unsigned long long)p99,
		       (unsigned long long)p999, (unsigned long long)site_quantile(&sum[i], 1));
		if (sum[i].count >= ENOUGH)
			longest = max(longest, p99);
	}
	return longest;
}

/*
 * Other processes of the machine interrupt one stretch in some thousands: the longest hundredth of
 * the stretches is not judged.
 */
bool waits_sites(const struct lab_ops *ops)
{
	static const int waiters[] = { 2, 4, 8 };
	u64 longest[ARRAY_SIZE(waiters)];
	size_t i;

	printf("\nInterrupts off, cycles: threads that lock, count, unlock\n");
	printf("       %-15s %7s  %-20s %10s %9s %9s %11s\n", "lock", "waiters", "function",
	       "stretches", "p99", "p99.9", "longest");
	for (i = 0; i < ARRAY_SIZE(waiters); i++)
		longest[i] = sites_measure(ops, waiters[i]);
	printf("%s: the longest p99 is %llu cycles with 2 waiters, %llu with 4, %llu with 8\n",
	       ops->name, (unsigned long long)longest[0], (unsigned long long)longest[1],
	       (unsigned long long)longest[2]);
	return max(longest[1], longest[2]) <= longest[0] * GROWTH;
}
