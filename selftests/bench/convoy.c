// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * convoy THREADS SECONDS [ordinary]: threads that may run anywhere want one lock all the time, a
 * resilient or an ordinary one. One line of JSON: acquisitions, failures, seconds, and the longest
 * of the acquisitions that were timed.
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "convoy.h"
#include "pinned.h"
#include "selftests/bench/convoy.skel.h"

#define MAX_THREADS 64

static volatile bool over;

static void *run(void *fd)
{
	while (!over)
		test_run(*(int *)fd, 1);
	return NULL;
}

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double run_threads(int fd, unsigned int nr, unsigned int seconds)
{
	double begin = seconds_now();
	pthread_t threads[MAX_THREADS];

	for (unsigned int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, run, &fd))
			errx(2, "no thread");
	sleep(seconds);
	over = true;
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return seconds_now() - begin;
}

static void show(const struct convoy_bpf *skel, bool ordinary, unsigned int threads, double took)
{
	printf("{\"lock\": \"%s\", \"threads\": %u, \"acquired\": %llu, \"failed\": %llu, "
	       "\"seconds\": %.3f, \"longest_ns\": %llu}\n",
	       ordinary ? "ordinary" : "resilient", threads, (unsigned long long)skel->bss->count,
	       (unsigned long long)skel->bss->failed, took, (unsigned long long)skel->bss->longest);
}

int main(int argc, char **argv)
{
	bool ordinary = argc == 4 && !strcmp(argv[3], "ordinary");
	struct convoy_bpf *skel;
	unsigned int threads;
	int prog;

	if (argc != 3 + ordinary)
		errx(2, "usage: convoy THREADS SECONDS [ordinary]");
	threads = count_arg(argv[1]);
	if (threads > MAX_THREADS)
		errx(2, "%u threads", threads);
	skel = convoy_bpf__open_and_load();
	if (!skel)
		err(2, "cannot load convoy.bpf.o");
	prog = bpf_program__fd(ordinary ? skel->progs.ordinary : skel->progs.convoy);
	show(skel, ordinary, threads, run_threads(prog, threads, count_arg(argv[2])));
	convoy_bpf__destroy(skel);
	return 0;
}
