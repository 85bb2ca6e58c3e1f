/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of perf events from a ring for each CPU. */
#ifndef RQSPIN_TRACE_PERF_RINGS_H
#define RQSPIN_TRACE_PERF_RINGS_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct perf_rings - rings that are open
 * @fds: to be polled
 * @pages: the memory that each shares with the kernel
 * @cpus: whose they are
 * @nr: of each; 0 if the kernel refuses
 * @refused: why it refused one of them, -errno; 0: none, but for CPUs that are offline
 */
struct perf_rings {
	struct pollfd *fds;
	void **pages;
	int *cpus;
	int nr;
	int refused;
};

/*
 * pid: as of perf_event_open(2). wanted: one per CPU; NULL: all. 0, -ENOMEM, or what the kernel
 * says if it refuses all.
 */
int perf_rings_open(struct perf_rings *pr, struct perf_event_attr *attr, pid_t pid,
		    const bool *wanted);
void perf_rings_close(struct perf_rings *pr);

/* Takes what is there, in one piece: a record may go over the end of the ring. */
void perf_rings_read(struct perf_rings *pr, int nth,
		     void (*take)(void *ctx, const void *records, size_t size), void *ctx);

#endif
