/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the programs and the driver of the measurement of time limits. */
#ifndef BENCH_DEADLINES_H
#define BENCH_DEADLINES_H

#define DEADLINES_CPUS 64

/* One acquisition. */
struct deadlines_wait {
	__u64 begin; /* ns, just before the call; 0: not yet */
	__u64 end;   /* ns, just after a call that failed */
	__u64 turn;  /* 1 for the first that got the lock */
	__s64 ret;
};

#endif
