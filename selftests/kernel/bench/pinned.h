/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of a measurement, one per CPU, and the clock they are timed by. */
#ifndef BENCH_PINNED_H
#define BENCH_PINNED_H

#include <pthread.h>
#include <stddef.h>

/**
 * struct pinned - one thread of a group
 * @id: number in the group, and of its CPU
 * @arg: the group's argument
 * @barrier: for all threads of the group
 * @thread: its handle
 */
struct pinned {
	int id;
	void *arg;
	pthread_barrier_t *barrier;
	pthread_t thread;
};

/* Pin the calling thread to @cpu; ends the process if that fails. */
void pin_to(int cpu);

/* A count on the command line; ends the process if it is not a positive number. */
unsigned int count_arg(const char *arg);

/* Run @fn in @nr threads pinned to CPU 0, 1, ...; ends the process if that fails. */
void run_pinned(int nr, void (*fn)(struct pinned *self), void *arg);

/* One BPF_PROG_TEST_RUN with a packet; ends the process if that fails. */
void test_run(int prog_fd, unsigned int repeat);
void test_run_packet(int prog_fd, const void *packet, size_t size, unsigned int repeat);

/* A tenth of a millisecond. */
void pause_a_while(void);

double seconds_now(void);

/* Ticks of the CPU: in a guest with counted instructions, instructions of all CPUs. */
unsigned long long ticks_now(void);

#endif
