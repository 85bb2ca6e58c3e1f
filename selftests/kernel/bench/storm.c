// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * storm none|abba own|shared BYSTANDERS SECONDS: CPUs 0 and 1 run into the deadlock of
 * latency.bpf.c, round after round, or do nothing. Bystanders on the CPUs after them take locks all
 * the time: own: each one of its own. shared: all of them lock_a, one of the two of the deadlock.
 * One line of JSON: the bystanders' acquisitions, and how many rounds ended how. "unmet" are rounds
 * without a deadlock: one side did not come while the other one held its lock.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/types.h>

#include "attempts.h"
#include "latency.h"
#include "pinned.h"
#include "storm.h"
#include "streams.h"
#include "selftests/kernel/bench/latency.skel.h"
#include "selftests/kernel/bench/storm.skel.h"

#define SIDES 2

struct job {
	struct latency_bpf *pair;
	struct storm_bpf *skel;
	const char *storm, *lock;
	unsigned int bystanders, seconds;
	pthread_barrier_t both;
	volatile bool over;
	unsigned long long edeadlk, etimedout, other, unmet; /* rounds */
};

static void round_note(struct job *job)
{
	const struct latency_side *s = job->pair->bss->sides;

	if (!s[0].met || !s[1].met)
		job->unmet++;
	else if (s[0].err == -ETIMEDOUT || s[1].err == -ETIMEDOUT)
		job->etimedout++;
	else if (s[0].err == -EDEADLK || s[1].err == -EDEADLK)
		job->edeadlk++;
	else
		job->other++;
}

/* Side 0 clears and notes while side 1 waits at a barrier. */
static void rounds_run(struct job *job, int side)
{
	double end = seconds_now() + job->seconds;
	int fd = bpf_program__fd(side ? job->pair->progs.abba_1 : job->pair->progs.abba_0);

	while (true) {
		if (!side) {
			job->pair->bss->ready = job->pair->bss->holding = 0;
			job->over = seconds_now() >= end;
		}
		pthread_barrier_wait(&job->both);
		if (job->over)
			return;
		test_run(fd, 1);
		stream_drain(fd);
		pthread_barrier_wait(&job->both);
		if (!side)
			round_note(job);
	}
}

/*
 * With counted instructions a CPU that spins gives its turn away at each PAUSE. Beside bystanders
 * that never rest it would hardly spin, and find its deadlock late.
 */
static void locks_take(const struct job *job)
{
	int fd = bpf_program__fd(strcmp(job->lock, "own") ? job->skel->progs.shared_run :
							    job->skel->progs.own_run);

	while (!job->over) {
		test_run(fd, 1);
		pause_a_while();
	}
}

static void storm_party(struct pinned *self)
{
	struct job *job = self->arg;

	if (self->id >= SIDES) {
		locks_take(job);
	} else if (strcmp(job->storm, "none")) {
		rounds_run(job, self->id);
	} else if (!self->id) {
		sleep(job->seconds);
		job->over = true;
	}
}

static unsigned long long storm_counted(const struct job *job)
{
	unsigned long long sum = job->skel->bss->count;
	struct own own;

	for (__u32 cpu = 0; cpu < STORM_CPUS; cpu++) {
		if (bpf_map_lookup_elem(bpf_map__fd(job->skel->maps.owns), &cpu, &own))
			err(2, "lock of CPU %u", cpu);
		sum += own.count;
	}
	return sum;
}

static void storm_print(const struct job *job)
{
	struct attempts a = attempts_sum((const struct attempts *)job->skel->bss->attempts);

	printf("{\"storm\": \"%s\", \"lock\": \"%s\", \"counted\": %llu, \"failed\": %llu, "
	       "\"rounds\": {\"EDEADLK\": %llu, \"ETIMEDOUT\": %llu, \"other\": %llu, "
	       "\"unmet\": %llu}, ",
	       job->storm, job->lock, storm_counted(job), attempts_failed(&a), job->edeadlk,
	       job->etimedout, job->other, job->unmet);
	attempts_print(&a);
	printf("}\n");
}

static void storm_load(struct job *job)
{
	job->pair = latency_bpf__open_and_load();
	if (!job->pair)
		err(2, "cannot load latency.bpf.o");
	job->skel = storm_bpf__open();
	if (!job->skel)
		err(2, "cannot open storm.bpf.o");
	if (bpf_map__reuse_fd(job->skel->maps.data_lock_a,
			      bpf_map__fd(job->pair->maps.data_lock_a)))
		err(2, "cannot share lock_a");
	if (storm_bpf__load(job->skel))
		err(2, "cannot load storm.bpf.o");
}

static bool arg_is_one(const char *arg, const char *one, const char *other)
{
	return !strcmp(arg, one) || !strcmp(arg, other);
}

int main(int argc, char **argv)
{
	struct job job = { 0 };

	if (argc != 5 || !arg_is_one(argv[1], "none", "abba") ||
	    !arg_is_one(argv[2], "own", "shared"))
		errx(2, "usage: storm none|abba own|shared BYSTANDERS SECONDS");
	job.storm = argv[1];
	job.lock = argv[2];
	job.bystanders = count_arg(argv[3]);
	job.seconds = count_arg(argv[4]);
	if (job.bystanders > STORM_CPUS - SIDES)
		errx(2, "%u bystanders", job.bystanders);
	storm_load(&job);
	pthread_barrier_init(&job.both, NULL, SIDES);
	run_pinned(SIDES + (int)job.bystanders, storm_party, &job);
	storm_print(&job);
	storm_bpf__destroy(job.skel);
	latency_bpf__destroy(job.pair);
	return 0;
}
