/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Acquisitions as the program sees them. Include <rqspin/res_spin_lock.bpf.h> first. */
#ifndef BENCH_ATTEMPTS_BPF_H
#define BENCH_ATTEMPTS_BPF_H

#include "attempts.h"

struct attempts attempts[ATTEMPTS_CPUS];

/* Call it after the unlock: under the lock a program can call nothing, so it cannot read a clock.
 */
static __always_inline void attempt_note(__u64 begin, int err)
{
	__u64 took = bpf_ktime_get_ns() - begin;
	struct attempts *a = &attempts[bpf_get_smp_processor_id() % ATTEMPTS_CPUS];

	histogram_add(&a->times, took);
	if (err == -RQSPIN_EDEADLK)
		a->edeadlk++;
	else if (err == -RQSPIN_ETIMEDOUT)
		a->etimedout++;
	else if (err)
		a->other++;
}

#endif
