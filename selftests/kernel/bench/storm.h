/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the bystanders' programs and the driver. */
#ifndef BENCH_STORM_H
#define BENCH_STORM_H

/* Acquisitions of a bystander in one run of its program. */
#define STORM_BATCH 16

#define STORM_CPUS 64

/* A lock that one CPU takes. */
struct own {
	struct bpf_res_spin_lock lock;
	__u64 count; /* changed under the lock only */
} __attribute__((aligned(64)));

#endif
