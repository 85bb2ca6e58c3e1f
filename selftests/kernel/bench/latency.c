// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * latency aa|abba ROUNDS: one line of JSON per round with a deadlock: the error,
 * nanoseconds until the first failure, and nanoseconds until all locks were
 * released. Rounds in which the two programs did not meet are not counted.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/types.h>

#include "latency.h"
#include "pinned.h"
#include "streams.h"
#include "selftests/kernel/bench/latency.skel.h"

#define WARM_UP 10

struct job {
	struct latency_bpf *skel;
	int fds[2];
	int parties;
	int rounds;
};

static const struct latency_side *first_to_fail(const struct latency_side *s, int nr)
{
	const struct latency_side *found = NULL;

	for (int i = 0; i < nr; i++) {
		if (s[i].err && (!found || s[i].end_ns < found->end_ns))
			found = &s[i];
	}
	return found;
}

static void latency_print(const struct job *job)
{
	const struct latency_side *s = job->skel->bss->sides;
	const struct latency_side *victim = first_to_fail(s, job->parties);
	__u64 begin = s[0].begin_ns, end = s[0].end_ns;

	for (int i = 0; i < job->parties; i++) {
		if (!s[i].met)
			return;
		begin = s[i].begin_ns < begin ? s[i].begin_ns : begin;
		end = s[i].end_ns > end ? s[i].end_ns : end;
	}
	printf("{\"errors\": [%d, %d], \"victim\": %llu, \"whole\": %llu}\n", s[0].err,
	       job->parties > 1 ? s[1].err : 0,
	       victim ? victim->end_ns - victim->begin_ns : end - begin, end - begin);
}

/* The barriers keep both threads in the same round, whatever the result of the last round. */
static void latency_party(struct pinned *self)
{
	const struct job *job = self->arg;

	for (int i = -WARM_UP; i < job->rounds; i++) {
		if (!self->id)
			job->skel->bss->ready = job->skel->bss->holding = 0;
		pthread_barrier_wait(self->barrier);
		test_run(job->fds[self->id], 1);
		stream_drain(job->fds[self->id]);
		pthread_barrier_wait(self->barrier);
		if (!self->id && i >= 0)
			latency_print(job);
	}
}

int main(int argc, char **argv)
{
	struct job job = { .parties = 1 };
	struct latency_bpf *skel;

	if (argc != 3 || (strcmp(argv[1], "aa") && strcmp(argv[1], "abba")))
		errx(2, "usage: latency aa|abba ROUNDS");
	job.rounds = count_arg(argv[2]);
	skel = job.skel = latency_bpf__open_and_load();
	if (!skel)
		err(2, "cannot load latency.bpf.o");
	job.fds[0] = bpf_program__fd(skel->progs.aa);
	if (!strcmp(argv[1], "abba")) {
		job.parties = 2;
		job.fds[0] = bpf_program__fd(skel->progs.abba_0);
		job.fds[1] = bpf_program__fd(skel->progs.abba_1);
	}
	run_pinned(job.parties, latency_party, &job);
	latency_bpf__destroy(skel);
	return 0;
}
