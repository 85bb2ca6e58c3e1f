// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Deadlocks of two and three CPUs; failures are counted on every side. */
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/abba.skel.h"

#define ABBA_ROUNDS  31
#define CYCLE_ROUNDS 3

/**
 * struct tally - results of many rounds
 * @by_victims: rounds in which 0, 1, 2, 3 parties failed
 * @deadlocks: -EDEADLK seen by user space
 * @timeouts: -ETIMEDOUT seen by user space
 * @acquired: successes seen by user space
 */
struct tally {
	int by_victims[4];
	int deadlocks, timeouts, acquired;
};

/* Count the results; true if all parties met, so that there was a deadlock. */
static bool play_once(struct abba_bpf *skel, struct role *roles, int parties, struct tally *t)
{
	int i, victims = 0;
	bool met = true;

	skel->bss->parties = parties;
	skel->bss->arrived = 0;
	run_roles(roles, parties);
	for (i = 0; i < parties; i++) {
		t->acquired += roles[i].retval == 0;
		t->deadlocks += roles[i].retval == -EDEADLK;
		t->timeouts += roles[i].retval == -ETIMEDOUT;
		victims += roles[i].retval < 0;
		met &= roles[i].retval != 2;
		CHECK(roles[i].retval != 1, "role %d: first lock failed", i);
	}
	if (met) {
		t->by_victims[victims]++;
		CHECK(victims, "a real deadlock, and nobody failed");
	}
	return met;
}

/* A thread may get no CPU for the second that the others wait for it: then try again. */
static bool play_round(struct abba_bpf *skel, struct role *roles, int parties, struct tally *t)
{
	int i;

	for (i = 0; i < 5; i++) {
		if (play_once(skel, roles, parties, t))
			return true;
	}
	return CHECK(false, "the parties did not meet in %d rounds", i);
}

static long counters_sum(const __u64 *counters)
{
	return counters[0] + counters[1] + counters[2];
}

static void check_tally(const struct abba_bpf *skel, const struct tally *t)
{
	CHECK_EQ(counters_sum(skel->bss->deadlocks), t->deadlocks, "-EDEADLK in the programs");
	CHECK_EQ(counters_sum(skel->bss->timeouts), t->timeouts, "-ETIMEDOUT in the programs");
	CHECK_EQ(counters_sum(skel->bss->acquired), t->acquired,
		 "second locks taken in the programs");
	CHECK_EQ(counters_sum(skel->bss->others), 0, "other results");
	test_note("victims per round: one in %d, two in %d, three in %d rounds; %d -EDEADLK, "
		  "%d -ETIMEDOUT",
		  t->by_victims[1], t->by_victims[2], t->by_victims[3], t->deadlocks, t->timeouts);
	check_locks_free(skel->obj);
}

/* A cycle of two is detected; after one party has failed the other may get its lock. */
static void test_two_cpus(void)
{
	struct abba_bpf *skel = abba_bpf__open_and_load();
	struct tally t = {};
	int i;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return;
	for (i = 0; i < ABBA_ROUNDS; i++) {
		struct role roles[] = {
			{ .prog = skel->progs.take_ab, .cpu = 0 },
			{ .prog = skel->progs.take_ba, .cpu = 1 },
		};

		if (!play_round(skel, roles, 2, &t))
			break;
	}
	CHECK_EQ(t.by_victims[1] + t.by_victims[2], ABBA_ROUNDS, "rounds with a victim");
	/* A waiter that lost its CPU for the whole limit gets -ETIMEDOUT first. */
	CHECK(t.deadlocks > t.timeouts, "%d -EDEADLK, %d -ETIMEDOUT", t.deadlocks, t.timeouts);
	check_tally(skel, &t);
	abba_bpf__destroy(skel);
}

/* Stock kernels do not detect a cycle of three: the time limit must end it. */
static void test_three_cpus(void)
{
	struct abba_bpf *skel = abba_bpf__open_and_load();
	struct tally t = {};
	int i;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return;
	for (i = 0; i < CYCLE_ROUNDS; i++) {
		struct role roles[] = {
			{ .prog = skel->progs.take_ab, .cpu = 0 },
			{ .prog = skel->progs.take_bc, .cpu = 1 },
			{ .prog = skel->progs.take_ca, .cpu = 2 },
		};

		if (!play_round(skel, roles, 3, &t))
			break;
		if (roles[0].retval == -ETIMEDOUT)
			CHECK(roles[0].ms > 250, "-ETIMEDOUT after only %.0f ms", roles[0].ms);
	}
	check_tally(skel, &t);
	abba_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "two_cpus", .run = test_two_cpus, .min_cpus = 2 },
	{ .name = "three_cpus", .run = test_three_cpus, .min_cpus = 3 },
	{},
};

TEST_SUITE(abba, cases);
