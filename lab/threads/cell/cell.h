/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One cell of a campaign: a lock, a number of threads, and their load. */
#ifndef LAB_CELL_H
#define LAB_CELL_H

#include <jansson.h>

#include "../../locks/locks.h"

#define CELL_LINES   8
#define CELL_THREADS 64

/**
 * struct cell - what to measure
 * @lock: the lock
 * @threads: number of threads that contend for it
 * @seconds: duration; 0: until each thread has done @ops
 * @ops: operations of each thread, if @seconds is 0
 * @held: pauses with the lock held
 * @apart: pauses between two operations
 * @held_ns, @apart_ns: the same, ns of work
 * @lines: cache lines, besides the counter's, that a critical section writes to
 * @refs: atomic additions to one line of all threads before each acquisition
 * @embedded: the counter that the lock protects is in the lock's cache line
 * @semaphore: an operation is a down and an up, two acquisitions
 * @stall_ms: if not 0, thread 0 holds the lock for so long, @ops times, and the others wait
 */
struct cell {
	const struct lab_ops *lock;
	int threads;
	double seconds;
	u64 ops;
	u32 held, apart, held_ns, apart_ns, lines, refs, stall_ms;
	bool embedded, semaphore;
};

/* Returns NULL without memory, or with too many threads. The caller owns the object. */
json_t *cell_run(const struct cell *cell);
/* The same for a cell with @stall_ms: how many waiters failed. */
json_t *stall_run(const struct cell *cell);

#define CELL_COUNTS 5

/* The events that the lock's own code has counted so far, in the order of the names in counts.c. */
void cell_count(const struct lab_ops *lock, u64 counts[CELL_COUNTS]);

/*
 * The differences of the two counts, by name; null if the lock counts nothing. @ops: acquisitions;
 * without a queue, all of them are unfair.
 */
json_t *cell_counts(const struct lab_ops *lock, const u64 before[CELL_COUNTS],
		    const u64 after[CELL_COUNTS], u64 ops);

#endif /* LAB_CELL_H */
