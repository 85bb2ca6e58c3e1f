// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* 16 threads, half of them AB, half BA, until both sides have seen deadlocks. */
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/contention.skel.h"

#define THREADS	    16
#define WANTED	    5 /* deadlocks each side must see */
#define MAX_SECONDS 90

struct worker {
	const struct bpf_program *prog;
	struct contention_bpf *skel;
	double deadline;
	long runs, failures;
};

static long side_deadlocks(const struct contention_bpf *skel, int side)
{
	return skel->bss->first_deadlock[side] + skel->bss->second_deadlock[side];
}

static int worker_run(void *arg)
{
	struct worker *w = arg;
	volatile struct contention_bpf__bss *bss = w->skel->bss;
	int err, retval;

	while (bss->second_deadlock[0] < WANTED || bss->second_deadlock[1] < WANTED) {
		if (now_ms() > w->deadline)
			return -ETIME;
		err = prog_run(w->prog, &retval);
		if (err)
			return err;
		w->runs++;
		w->failures += retval != 0;
	}
	return 0;
}

static void check_counts(struct contention_bpf *skel, const struct worker *workers)
{
	long runs[2] = {}, failures[2] = {};
	int i, side;

	for (i = 0; i < THREADS; i++) {
		runs[i % 2] += workers[i].runs;
		failures[i % 2] += workers[i].failures;
	}
	for (side = 0; side < 2; side++) {
		CHECK_EQ(skel->bss->attempts[side], runs[side], "attempts");
		CHECK_EQ(skel->bss->both[side], runs[side] - failures[side], "successes");
		CHECK_EQ(side_deadlocks(skel, side) + skel->bss->timeouts[side], failures[side],
			 "failures");
		CHECK_EQ(skel->bss->others[side], 0, "other results");
		test_note("%s: %ld runs, %lld -EDEADLK at the second lock, %lld at the first, "
			  "%lld -ETIMEDOUT",
			  side ? "BA" : "AB", runs[side], skel->bss->second_deadlock[side],
			  skel->bss->first_deadlock[side], skel->bss->timeouts[side]);
	}
	CHECK_EQ(skel->bss->guarded, skel->bss->both[0] + skel->bss->both[1],
		 "increments under both locks");
}

static void test_ab_against_ba(void)
{
	struct contention_bpf *skel = contention_bpf__open_and_load();
	struct worker workers[THREADS];
	struct role roles[THREADS];
	int i;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return;
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){
			.prog = i % 2 ? skel->progs.b_then_a : skel->progs.a_then_b,
			.skel = skel,
			.deadline = now_ms() + MAX_SECONDS * 1e3,
		};
		roles[i] = (struct role){
			.call = worker_run,
			.arg = &workers[i],
			/* A side per CPU, so that the sides do not wait for each other's time
			   slice. */
			.cpu = i % (online_cpus() & ~1),
		};
	}
	run_roles(roles, THREADS);
	for (i = 0; i < THREADS; i++)
		CHECK(!roles[i].retval, "thread %d: %s", i, strerror(-roles[i].retval));
	check_counts(skel, workers);
	check_locks_free(skel->obj);
	contention_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "ab_against_ba", .run = test_ab_against_ba, .min_cpus = 2, .limit_s = 180 },
	{},
};

TEST_SUITE(contention, cases);
