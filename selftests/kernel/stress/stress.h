/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters shared by stress.bpf.c and stress.c. */
#ifndef RQSPIN_STRESS_H
#define RQSPIN_STRESS_H

enum stress_context {
	CTX_TASK,
	CTX_TICK,
	CTX_SWITCH,
	CTX_CONTENTION,
	CTX_IPI,
	CTX_EVICT,
	CTX_FREE,
	CTX_NMI,
	CTX_MAX
};
enum stress_map {
	MAP_HASH,
	MAP_LRU,
	MAP_LRU_CPU,
	MAP_LPM,
	MAP_RINGBUF,
	MAP_GROWING,
	MAP_QUEUE,
	MAP_KINDS
};
enum stress_result { RES_OK, RES_EDEADLK, RES_ETIMEDOUT, RES_EBUSY, RES_OTHER, RES_MAX };

struct stress_counts {
	unsigned long long n[CTX_MAX][MAP_KINDS][RES_MAX];
};

#endif
