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
 * @pages: the memory that each ring shares with the kernel
 * @cpus: the CPU of each ring
 * @nr: number of rings; 0 if the kernel refuses
 * @refused: -errno of a ring that the kernel refused; 0: none, except for CPUs that are offline
 */
struct perf_rings {
	struct pollfd *fds;
	void **pages;
	int *cpus;
	int nr;
	int refused;
};

/*
 * pid: as in perf_event_open(2). wanted: one per CPU; NULL: all. 0, -ENOMEM, or the -errno of the
 * kernel if it refuses all.
 */
int perf_rings_open(struct perf_rings *pr, struct perf_event_attr *attr, pid_t pid,
		    const bool *wanted);
void perf_rings_close(struct perf_rings *pr);

/* Passes all new records to take, in one piece: a record may wrap around the end of the ring. */
void perf_rings_read(struct perf_rings *pr, int nth,
		     void (*take)(void *ctx, const void *records, size_t size), void *ctx);

#endif
