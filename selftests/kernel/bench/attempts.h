/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by programs and drivers: acquisitions of a CPU, those that failed included. */
#ifndef BENCH_ATTEMPTS_H
#define BENCH_ATTEMPTS_H

#include "../../../lab/threads/lib/histogram.h"

#define ATTEMPTS_CPUS 64

#ifndef __VMLINUX_H__
/* For drivers, which read elements that have a lock. */
struct bpf_res_spin_lock {
	__u32 val;
};
#endif

struct attempts {
	struct histogram times; /* from just before the lock until just after the unlock */
	__u64 edeadlk, etimedout, other;
};

/* What all CPUs did: @each has ATTEMPTS_CPUS elements. */
struct attempts attempts_sum(const struct attempts *each);

unsigned long long attempts_failed(const struct attempts *a);

/* Members of an object of JSON: those of the times, and "errors". */
void attempts_print(const struct attempts *a);

#endif
