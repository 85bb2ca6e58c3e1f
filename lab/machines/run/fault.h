/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "run/job.h"

/**
 * struct fault_result - how long a deadlock stood, over the rounds of a job
 * @p50, @p99, @max: from the call that closes the cycle to the first error, ns
 * @deadlocks, @timeouts: rounds by that error
 * @unseen: rounds without an error within a second
 */
struct fault_result {
	double p50, p99, max;
	int deadlocks, timeouts, unseen;
};

/**
 * run_fault() - Deadlocks of j->parties CPUs, j->rounds times.
 *
 * Member i owns lock i and wants lock i + 1; all are CPUs drawn from j->threads of them. The other
 * CPUs take another lock in a loop, with j's times.
 *
 * Return: 0, or -ENOMEM.
 */
int run_fault(const struct job *j, struct fault_result *r);

#endif
