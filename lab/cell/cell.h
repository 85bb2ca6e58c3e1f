/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One cell of a campaign: a lock, a number of threads, what they do. */
#ifndef LAB_CELL_H
#define LAB_CELL_H

#include <jansson.h>

#include "../locks/locks.h"

#define CELL_LINES 8

/**
 * struct cell - what to measure
 * @lock: which lock
 * @threads: that want it
 * @seconds: for how long; 0: until each has done @ops
 * @ops: acquisitions of each thread (@seconds is 0)
 * @held: pauses with the lock held
 * @apart: pauses between two operations
 * @held_ns, @apart_ns: the same, ns of work
 * @lines: cache lines of its own that a section writes to
 * @refs: atomic additions to one line of all threads before each acquisition
 * @embedded: what is counted under the lock shares the lock's cache line
 * @semaphore: an operation is a down and an up, two acquisitions
 */
struct cell {
	const struct lab_ops *lock;
	int threads;
	double seconds;
	u64 ops;
	u32 held, apart, held_ns, apart_ns, lines, refs;
	bool embedded, semaphore;
};

/* NULL: no memory. The caller owns the object. */
json_t *cell_run(const struct cell *cell);

#define CELL_COUNTS 5

/* What the lock's own code has counted so far, in the order of the names in counts.c. */
void cell_count(const struct lab_ops *lock, u64 counts[CELL_COUNTS]);

/*
 * What came between the two, by name; null where the lock counts nothing. @ops: acquisitions; all
 * of them went past the queue of a lock that has none.
 */
json_t *cell_counts(const struct lab_ops *lock, const u64 before[CELL_COUNTS],
		    const u64 after[CELL_COUNTS], u64 ops);

#endif /* LAB_CELL_H */
