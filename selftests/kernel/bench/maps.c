// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * maps THREADS ROUNDS BATCHES: one line of JSON per program and round with the
 * ticks that one update took, all threads together. Every round runs every
 * program once.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "maps.h"
#include "pinned.h"
#include "selftests/kernel/bench/maps.skel.h"

struct job {
	int fd;
	unsigned int batches;
	unsigned long long begin, end;
};

/* Several short runs: the work of a program between two quiescent states is bounded. */
static void maps_update(struct pinned *self)
{
	struct job *job = self->arg;

	test_run(job->fd, 1);
	pthread_barrier_wait(self->barrier);
	if (!self->id)
		job->begin = ticks_now();
	test_run(job->fd, job->batches);
	pthread_barrier_wait(self->barrier);
	if (!self->id)
		job->end = ticks_now();
}

static void maps_measure(const struct bpf_program *prog, int threads, unsigned int batches)
{
	struct job job = { .fd = bpf_program__fd(prog), .batches = batches };
	double n = (double)threads * batches * MAPS_BATCH;

	run_pinned(threads, maps_update, &job);
	printf("{\"program\": \"%s\", \"threads\": %d, \"ticks\": %.2f}\n", bpf_program__name(prog),
	       threads, (double)(job.end - job.begin) / n);
}

int main(int argc, char **argv)
{
	unsigned int threads, rounds, batches;
	struct bpf_program *prog;
	struct maps_bpf *skel;

	if (argc != 4)
		errx(2, "usage: maps THREADS ROUNDS BATCHES");
	threads = count_arg(argv[1]);
	rounds = count_arg(argv[2]);
	batches = count_arg(argv[3]);
	skel = maps_bpf__open_and_load();
	if (!skel)
		err(2, "cannot load maps.bpf.o");
	for (unsigned int round = 0; round < rounds; round++) {
		bpf_object__for_each_program(prog, skel->obj)
			maps_measure(prog, (int)threads, batches);
	}
	if (skel->bss->failed)
		errx(1, "%llu updates failed", skel->bss->failed);
	maps_bpf__destroy(skel);
	return 0;
}
