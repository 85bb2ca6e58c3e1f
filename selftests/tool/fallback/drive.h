/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs BPF programs from pinned threads, in rounds that start together. */
#ifndef RQSPIN_TEST_DRIVE_H
#define RQSPIN_TEST_DRIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <linux/types.h>
#include "shared.h"

#define DRIVE_MAX 64

struct job {
	int prog_fd;
	int cpu;
	bool packet; /* tc or xdp: run @rounds times by one call; else syscall, once per round */
	int rounds;
	struct fb_args args;
	const volatile __u32 *after; /* a round begins when this has reached the round's number */
	/* Called after each round that failed; returns whether the recorded failure is right. */
	bool (*judge)(const struct job *job, int err);
	/* Results. */
	int ok;
	int deadlocks;
	int timeouts;
	int other;
	int misjudged;
	pthread_t thread;
	pthread_barrier_t *start;
};

int drive_jobs(struct job *jobs, int n); /* 0, or a negative errno if it could not be done */

/* The program's result; 1000 plus the errno if it could not be run. */
int run_syscall(int prog_fd, struct fb_args *args);
int run_packets(int prog_fd, int repeat); /* tc or XDP; the result of the last run */

#endif
