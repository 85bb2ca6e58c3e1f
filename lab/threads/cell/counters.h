/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPU's counters, of user space, and context switches: of each thread, and of all. */
#ifndef LAB_COUNTERS_H
#define LAB_COUNTERS_H

#include <jansson.h>

#include "cell.h"

#define COUNTERS 3

/**
 * struct counters - what a thread counts
 * @fd: of the CPU's counters
 * @error: why there is no such counter, or 0
 * @value: as of counters_stop()
 * @switches: context switches
 */
struct counters {
	int fd[COUNTERS], error[COUNTERS];
	u64 value[COUNTERS], switches;
};

/* Of the calling thread. */
void counters_open(struct counters *c);
void counters_start(struct counters *c);
void counters_stop(struct counters *c);

/* Adds the values; a counter that one of both lacks is missing in the sum. */
void counters_add(struct counters *sum, const struct counters *c);

/* By name; null if it is missing, and then "absent" says why. */
json_t *counters_json(const struct counters *c);

#endif /* LAB_COUNTERS_H */
