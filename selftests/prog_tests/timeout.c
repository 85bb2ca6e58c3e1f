// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "runner/runner.h"
#include "runner/bpf.h"
#include "runner/locks.h"
#include "selftests/progs/timeout.skel.h"

struct waiter {
	struct timeout_bpf *skel;
	const struct bpf_program *prog;
	bool look_at_word; /* is the taken lock seen by the runner's check? */
};

#define HOLD_NS 4000000000ULL

/* An owner that nobody tells to release stays for HOLD_NS, whatever the kernel gives a loop. */
static struct timeout_bpf *load(void)
{
	struct timeout_bpf *skel = timeout_bpf__open_and_load();
	__u64 shortest = HOLD_NS;
	int retval, i;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return NULL;
	for (i = 0; i < 3; i++) {
		if (prog_run(skel->progs.measure, &retval))
			break;
		if (skel->bss->loop_ns < shortest)
			shortest = skel->bss->loop_ns;
	}
	CHECK(i == 3 && shortest, "a loop was not measured");
	skel->data->loops = HOLD_NS / (shortest ? shortest : 1) + 1;
	return skel;
}

static bool wait_for_owner(const struct timeout_bpf *skel)
{
	double deadline = now_ms() + 10e3;

	while (!*(volatile __u32 *)&skel->bss->holding) {
		if (now_ms() > deadline)
			return CHECK(false, "the owner did not start within 10 s");
	}
	return true;
}

/* A waiter's thread: the last one back lets the owner go. */
static int wait_in_vain(void *arg)
{
	struct waiter *w = arg;
	int retval = 0, err = 0;

	if (wait_for_owner(w->skel)) {
		if (w->look_at_word)
			CHECK_EQ(locks_taken(w->skel->obj), 1, "taken locks seen from outside");
		err = prog_run(w->prog, &retval);
		CHECK(!err, "run: %s", strerror(-err));
	}
	return retval;
}

static int wait_then_release(void *arg)
{
	struct waiter *w = arg;
	int retval = wait_in_vain(arg);

	__atomic_store_n(&w->skel->bss->release, 1, __ATOMIC_RELEASE);
	return retval;
}

static void check_usable(struct timeout_bpf *skel)
{
	int retval, err = prog_run(skel->progs.want, &retval);

	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(retval, 0, "the lock after all that");
	check_locks_free(skel->obj);
}

typedef const struct bpf_program *(*pick_fn)(const struct timeout_bpf *skel);

/* True if the waiter's thread came before the owner gave up. */
static bool wait_once(pick_fn pick, struct role *waiter)
{
	struct timeout_bpf *skel = load();
	struct waiter w = { .skel = skel };
	struct role roles[2];
	bool met;

	if (!skel)
		return true;
	w.prog = pick(skel);
	roles[0] = (struct role){ .prog = skel->progs.hold, .cpu = 0 };
	roles[1] = (struct role){ .call = wait_then_release, .arg = &w, .cpu = 1 };
	run_roles(roles, 2);
	met = roles[0].retval != 2 || roles[1].retval;
	*waiter = roles[1];
	check_usable(skel);
	timeout_bpf__destroy(skel);
	return met;
}

static void one_waiter(pick_fn pick)
{
	struct role waiter = {};
	int i;

	for (i = 0; i < 3 && !wait_once(pick, &waiter); i++)
		test_note("the waiter's thread came after 4 s: once more");
	CHECK_EQ(waiter.retval, -ETIMEDOUT, "the waiter");
	CHECK(waiter.ms > 250, "-ETIMEDOUT after only %.0f ms", waiter.ms);
	test_note("failed after %.0f ms", waiter.ms);
}

static const struct bpf_program *pick_want(const struct timeout_bpf *skel)
{
	return skel->progs.want;
}

static const struct bpf_program *pick_want_irqsave(const struct timeout_bpf *skel)
{
	return skel->progs.want_irqsave;
}

static void test_plain(void)
{
	one_waiter(pick_want);
}

static void test_irqsave(void)
{
	one_waiter(pick_want_irqsave);
}

static void release_in_time(struct role *waiter)
{
	struct timeout_bpf *skel = load();
	struct waiter w = { .skel = skel, .look_at_word = true };
	struct role roles[2];

	if (!skel)
		return;
	skel->data->release_at = 1;
	w.prog = skel->progs.want;
	roles[0] = (struct role){ .prog = skel->progs.hold, .cpu = 0 };
	roles[1] = (struct role){ .call = wait_then_release, .arg = &w, .cpu = 1 };
	run_roles(roles, 2);
	*waiter = roles[1];
	check_usable(skel);
	timeout_bpf__destroy(skel);
}

/* The owner releases once the waiter is on its way; it may lose its CPU just then. */
static void test_released_in_time(void)
{
	struct role waiter = { .retval = -ETIMEDOUT, .ms = 251 };
	int i;

	for (i = 0; i < 3 && waiter.retval; i++) {
		release_in_time(&waiter);
		if (waiter.retval)
			CHECK(waiter.retval == -ETIMEDOUT && waiter.ms > 250,
			      "the waiter: %d after %.0f ms", waiter.retval, waiter.ms);
	}
	CHECK_EQ(waiter.retval, 0, "the waiter");
}

/* Several waiters: all of them must come back, and the lock be as new. */
static void test_queue_dissolves(void)
{
	struct timeout_bpf *skel = load();
	int i, waiters = online_cpus() < 8 ? online_cpus() - 1 : 7;
	struct role roles[8] = {};
	struct waiter w = { .skel = skel };

	if (!skel)
		return;
	w.prog = skel->progs.want;
	roles[0] = (struct role){ .prog = skel->progs.hold, .cpu = 0 };
	for (i = 1; i <= waiters; i++)
		roles[i] = (struct role){ .call = wait_in_vain, .arg = &w, .cpu = i };
	run_roles(roles, waiters + 1);
	/* Nobody releases: the owner goes when its loops are over. */
	CHECK_EQ(roles[0].retval, 2, "the owner");
	for (i = 1; i <= waiters; i++) {
		CHECK_EQ(roles[i].retval, -ETIMEDOUT, "a waiter");
		CHECK(roles[i].ms > 250, "-ETIMEDOUT after only %.0f ms", roles[i].ms);
	}
	check_usable(skel);
	timeout_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "plain", .run = test_plain, .min_cpus = 2 },
	{ .name = "irqsave", .run = test_irqsave, .min_cpus = 2 },
	{ .name = "released_in_time", .run = test_released_in_time, .min_cpus = 2 },
	{ .name = "queue_dissolves", .run = test_queue_dissolves, .min_cpus = 3 },
	{},
};

TEST_SUITE(timeout, cases);
