/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

/* Times of one program: just before its first lock, just after its last unlock. */
struct latency_side {
	__u64 begin_ns, end_ns;
	__s32 err;
	__u32 met; /* the other program came, so the deadlock was real */
};

#endif
