// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <err.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <bpf/bpf.h>

#include "pinned.h"

#define MAX_THREADS 64

struct start {
	struct pinned self;
	void (*fn)(struct pinned *self);
};

void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(2, "CPU %d", cpu);
}

unsigned int count_arg(const char *arg)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (end == arg || *end || n < 1 || n > INT_MAX)
		errx(2, "'%s' is not a positive number", arg);
	return n;
}

static void *pinned_main(void *arg)
{
	struct start *s = arg;

	pin_to(s->self.id);
	pthread_barrier_wait(s->self.barrier);
	s->fn(&s->self);
	return NULL;
}

void run_pinned(int nr, void (*fn)(struct pinned *self), void *arg)
{
	struct start s[MAX_THREADS];
	pthread_barrier_t barrier;

	if (nr > MAX_THREADS)
		errx(2, "%d threads", nr);
	pthread_barrier_init(&barrier, NULL, nr);
	for (int i = 0; i < nr; i++) {
		s[i].self = (struct pinned){ .id = i, .arg = arg, .barrier = &barrier };
		s[i].fn = fn;
		if (pthread_create(&s[i].self.thread, NULL, pinned_main, &s[i]))
			errx(2, "no thread");
	}
	for (int i = 0; i < nr; i++)
		pthread_join(s[i].self.thread, NULL);
	pthread_barrier_destroy(&barrier);
}

void test_run_packet(int prog_fd, const void *packet, size_t size, unsigned int repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = size,
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(prog_fd, &opts))
		err(2, "BPF_PROG_TEST_RUN");
	if (opts.retval)
		errx(2, "the program returned %d", (int)opts.retval);
}

void test_run(int prog_fd, unsigned int repeat)
{
	static const char packet[64];

	test_run_packet(prog_fd, packet, sizeof(packet), repeat);
}

void pause_a_while(void)
{
	struct timespec ts = { .tv_nsec = 100000 };

	nanosleep(&ts, NULL);
}

double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

unsigned long long ticks_now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
#endif
}
