/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long acquisitions of resilient locks wait, by lock and call stack. Each CPU has a table of
 * its own in a memory-mapped array: no hash map, no allocation, no lock. What finds no place is
 * counted.
 */
#ifndef RQSPIN_WAITS_H
#define RQSPIN_WAITS_H

#define WAITS_FRAMES  16  /* return addresses, innermost first */
#define WAITS_ENTRIES 512 /* per CPU; a power of two */
#define WAITS_BUCKETS 40  /* bucket n: waits from 2^n ns on */
#define WAITS_DEPTH   8	  /* waits of one CPU that interrupt each other */
#define WAITS_RANGES  2	  /* functions that wait for resilient locks */

/**
 * struct waits_entry - waits for one lock from one place
 * @key: 0: the entry is free
 * @ready: @lock, @when_ns and @ips are complete
 * @lock: address
 * @when_ns: of the first one
 * @count: how many
 * @failed: of them, ended in an error
 * @total_ns: added up
 * @max_ns: the longest
 * @hist: how many of each length
 * @ips: who called
 */
struct waits_entry {
	__u64 key, ready, lock, when_ns;
	__u64 count, failed, total_ns, max_ns;
	__u64 hist[WAITS_BUCKETS];
	__u64 ips[WAITS_FRAMES];
};

/**
 * struct waits_now - a wait that goes on
 */
struct waits_now {
	__u64 lock, start_ns;
	__u64 ips[WAITS_FRAMES];
};

/**
 * struct waits_cpu - what one CPU waits for, and what it could not count
 * @depth: how many of @now
 * @dropped: waits that are in no entry
 */
struct waits_cpu {
	__u64 depth, dropped;
	struct waits_now now[WAITS_DEPTH];
};

#endif
