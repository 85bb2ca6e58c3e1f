/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "run/job.h"

/**
 * struct result - what a simulation measured after the warm-up
 * @rate:      acquisitions per second, of all threads
 * @jain:      Jain's index of the threads' acquisitions: 1 is fair
 * @busier:    share of the busier half of the threads: 0.5 is fair
 * @remote:    share of hand-overs to another socket
 * @longest, @mean: of the waits, ns
 * @queued, @unfair: acquisitions in order and past others, where the lock tells them apart
 * @preempted, @halts, @kicks: of virtual CPUs
 * @errors:    acquisitions that failed
 */
struct result {
	uint64_t acquisitions, queued, unfair, errors, preempted, halts, kicks;
	double seconds, rate, jain, busier, remote, longest, mean;
};

/** run_job() - Return: 0, or -ENOMEM. */
int run_job(const struct job *j, struct result *r);

#endif
