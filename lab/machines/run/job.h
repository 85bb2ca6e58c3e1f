/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include <jansson.h>

#include "core/host.h"
#include "locks/lock.h"

#define JOB_ERROR   200
#define JOB_LINES   16
#define JOB_LOCKS   4096
#define JOB_PARTIES 32

/**
 * struct job - what to simulate
 * @cs, @ncs: time inside and outside the critical section; @ncs varies by one half
 * @lines:    shared lines that a critical section writes; a fraction is a probability
 * @embedded: the first of these is the lock's own line
 * @refs:     atomics on another shared line outside the critical section
 * @locks:    the threads take one of so many locks, at random
 * @parties:  more than 0: no load but deadlocks of so many CPUs, @rounds of them
 * @acquisitions, @span: it ends when either is reached, after the warm-up
 * @host:     physical CPUs for the threads, which are virtual ones; pcpus 0: none
 * @warm:     what comes before is not counted; 0: a fifth of @acquisitions
 */
struct job {
	struct topo topo;
	const struct lock_ops *ops;
	int threads, locks, parties, rounds;
	uint64_t seed, acquisitions;
	sim_time cs, ncs, warm, span;
	double lines, refs;
	struct host_costs host;
	bool embedded;
};

/** job_defaults() - A lock and unlock in a loop, by two threads. */
void job_defaults(struct job *j);

/**
 * job_read() - Change @j by the members of a JSON object.
 * @error: what is wrong, JOB_ERROR characters
 *
 * Return: 0, or -EINVAL with @error filled.
 */
int job_read(struct job *j, json_t *from, char *error);

#endif
