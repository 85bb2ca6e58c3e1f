// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * convoy THREADS SECONDS [PROGRAM]: threads that may run anywhere want one lock all the time.
 * PROGRAM is one of convoy.bpf.c: tight (the default), calls, ordinary, ordinary_calls. One line of
 * JSON: acquisitions, failures, seconds, and the longest of the acquisitions that were timed.
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "convoy.h"
#include "pinned.h"
#include "selftests/kernel/bench/convoy.skel.h"

#define MAX_THREADS 64

static volatile bool over;

static void *convoy_run(void *fd)
{
	while (!over)
		test_run(*(int *)fd, 1);
	return NULL;
}

static double run_threads(int fd, unsigned int nr, unsigned int seconds)
{
	double begin = seconds_now();
	pthread_t threads[MAX_THREADS];

	for (unsigned int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, convoy_run, &fd))
			errx(2, "no thread");
	sleep(seconds);
	over = true;
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return seconds_now() - begin;
}

static void figures_print(const struct convoy_bpf *skel, const char *name, unsigned int threads,
			  double took)
{
	printf("{\"program\": \"%s\", \"threads\": %u, \"acquired\": %llu, \"failed\": %llu, "
	       "\"seconds\": %.3f, \"longest_ns\": %llu}\n",
	       name, threads, (unsigned long long)skel->bss->count,
	       (unsigned long long)skel->bss->failed, took, (unsigned long long)skel->bss->longest);
}

int main(int argc, char **argv)
{
	const char *name = argc == 4 ? argv[3] : "tight";
	const struct bpf_program *prog;
	struct convoy_bpf *skel;
	unsigned int threads;

	if (argc != 3 && argc != 4)
		errx(2, "usage: convoy THREADS SECONDS [tight|calls|ordinary|ordinary_calls]");
	threads = count_arg(argv[1]);
	if (threads > MAX_THREADS)
		errx(2, "%u threads", threads);
	skel = convoy_bpf__open_and_load();
	if (!skel)
		err(2, "cannot load convoy.bpf.o");
	prog = bpf_object__find_program_by_name(skel->obj, name);
	if (!prog)
		errx(2, "no program %s", name);
	figures_print(skel, name, threads,
		      run_threads(bpf_program__fd(prog), threads, count_arg(argv[2])));
	convoy_bpf__destroy(skel);
	return 0;
}
