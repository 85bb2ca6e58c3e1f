/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long acquisitions of resilient locks wait, by lock and call stack, and by cgroup if asked
 * for. Each CPU has a table of its own in a memory-mapped array: no hash map, no allocation, no
 * lock. What finds no place is counted.
 */
#ifndef RQSPIN_WAITS_H
#define RQSPIN_WAITS_H

#define WAITS_FRAMES  16  /* return addresses, innermost first */
#define WAITS_ENTRIES 512 /* per CPU; a power of two */
#define WAITS_BUCKETS 40  /* bucket n: waits from 2^n ns on */
#define WAITS_DEPTH   8	  /* waits of one CPU that interrupt each other */
#define WAITS_HALVES  2	  /* one is written while user space empties the other */

/**
 * struct waits_sum - waits, added up
 * @count: how many
 * @failed: of them, ended in an error
 * @total_ns: how long all of them took
 * @max_ns: the longest
 * @hist: how many of each length
 */
struct waits_sum {
	__u64 count, failed, total_ns, max_ns;
	__u64 hist[WAITS_BUCKETS];
};

/**
 * struct waits_entry - waits for one lock from one place
 * @key: 0: the entry is free
 * @ready: @lock, @cgroup, @when_ns and @ips are complete
 * @lock: address
 * @cgroup: id of the waiting task's, in interrupts of the interrupted task's; 0: not asked for
 * @when_ns: of the first one
 * @sum: how many, and how long
 * @ips: who called
 */
struct waits_entry {
	__u64 key, ready, lock, cgroup, when_ns;
	struct waits_sum sum;
	__u64 ips[WAITS_FRAMES];
};

/**
 * struct waits_now - a wait that goes on
 */
struct waits_now {
	__u64 lock, cgroup, start_ns;
	__u64 ips[WAITS_FRAMES];
};

/**
 * struct waits_half - what does not fit into the entries of a CPU
 * @used: entries that are taken
 * @others: waits that found no entry
 */
struct waits_half {
	__u64 used;
	struct waits_sum others;
};

/**
 * struct waits_cpu - what one CPU waits for, and what it could not count
 * @depth: how many of @now
 * @dropped: waits that were not timed
 * @busy: programs that are about to write into the tables of this CPU
 * @order: is written for the sake of the order of the accesses around it
 * @half: of each half of the table
 */
struct waits_cpu {
	__u64 depth, dropped, busy, order;
	struct waits_half half[WAITS_HALVES];
	struct waits_now now[WAITS_DEPTH];
};

#endif
