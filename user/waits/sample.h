/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which CPUs wait for a lock at this moment, also those that pass no tracepoint: a waiter enters
 * the lock into its CPU's table of held locks before it waits.
 */
#ifndef RQSPIN_WAITS_SAMPLE_H
#define RQSPIN_WAITS_SAMPLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct heldtab;
struct wait_sample;

struct wait_sample *wait_sample_new(size_t nr_cpus);
void wait_sample_free(struct wait_sample *s);

typedef void (*wait_sample_fn)(__u64 lock, unsigned int waiters, void *ctx);

/*
 * Hand out each lock that has waiters. A CPU whose table changes between two looks is left out.
 * False: the tables cannot be read now, nothing was seen.
 */
bool wait_sample_take(struct wait_sample *s, struct heldtab *ht, wait_sample_fn fn, void *ctx);

/**
 * struct wait_attempt - the newest entry of a CPU's table
 * @lock: address, 0: none
 * @nr: entries
 */
struct wait_attempt {
	__u64 lock;
	__u32 nr;
};

/* How many of these CPUs wait for the lock. @owned: another CPU has it below its newest entry. */
unsigned int wait_sample_waiters(const struct wait_attempt *all, size_t nr, __u64 lock, bool owned);

#endif
