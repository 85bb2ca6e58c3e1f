// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/timeout.skel.h"

struct waiter {
	struct timeout_bpf *skel;
	const struct bpf_program *prog;
	bool look_at_word; /* check that the runner sees the taken lock */
};

#define HOLD_NS 4000000000ULL

/* An owner that is not told to release holds for HOLD_NS, however long a loop may run. */
static struct timeout_bpf *load_with(bool clock)
{
	struct timeout_bpf *skel = timeout_bpf__open();
	__u64 shortest = HOLD_NS;
	int retval, i;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(skel->progs.set_clock, clock);
	if (!CHECK(!timeout_bpf__load(skel) && !timeout_bpf__attach(skel), "load: %s",
		   strerror(errno))) {
		timeout_bpf__destroy(skel);
		return NULL;
	}
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

static struct timeout_bpf *load_alone(void)
{
	return load_with(false);
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

/* A waiter's thread; it does not release the owner. */
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
	struct timeout_bpf *skel = load_alone();
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
	struct timeout_bpf *skel = load_alone();
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

/* The owner releases once the waiter is about to wait; the waiter may lose its CPU just then. */
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

/* Several waiters: all of them must return, and the lock must work like a new one. */
static void test_queue_dissolves(void)
{
	struct timeout_bpf *skel = load_alone();
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
	/* No thread sets release: the owner returns 2 when its loops are over. */
	CHECK_EQ(roles[0].retval, 2, "the owner");
	for (i = 1; i <= waiters; i++) {
		CHECK_EQ(roles[i].retval, -ETIMEDOUT, "a waiter");
		CHECK(roles[i].ms > 250, "-ETIMEDOUT after only %.0f ms", roles[i].ms);
	}
	check_usable(skel);
	timeout_bpf__destroy(skel);
}

#define LINE	   7
#define LINE_TURNS 5

/* How long an owner holds the lock: less than any limit; three turns take longer than one limit. */
struct turn {
	unsigned int ms, step_ms; /* step_ms: increase of the time on each next CPU */
};

struct line {
	struct timeout_bpf *skel;
	int failed;
};

static int take_turns(void *arg)
{
	struct line *line = arg;
	int retval, i;

	for (i = 0; i < LINE_TURNS; i++) {
		if (prog_run(line->skel->progs.stand_in_line, &retval))
			return -1;
		__sync_fetch_and_add(&line->failed, retval != 0);
	}
	return 0;
}

/* True if no owner held the lock for nearly a limit, as it may after losing its CPU. */
static bool line_up(struct turn turn, int *failed)
{
	struct timeout_bpf *skel = load_with(true);
	struct line line = { .skel = skel };
	struct role roles[LINE] = {};
	bool fair;
	int i;

	if (!skel)
		return true;
	skel->bss->turn_ns = turn.ms * 1000000ULL;
	skel->bss->step_ns = turn.step_ms * 1000000ULL;
	for (i = 0; i < LINE; i++)
		roles[i] = (struct role){
			.call = take_turns,
			.arg = &line,
			.cpu = i % online_cpus(),
		};
	run_roles(roles, LINE);
	for (i = 0; i < LINE; i++)
		CHECK_EQ(roles[i].retval, 0, "a thread in the line");
	fair = skel->bss->longest_ns < 240000000ULL;
	*failed = line.failed;
	test_note("%d of %d failed; the longest turn took %llu ms", line.failed, LINE * LINE_TURNS,
		  (unsigned long long)skel->bss->longest_ns / 1000000);
	check_usable(skel);
	timeout_bpf__destroy(skel);
	return fair;
}

/* The last waiter waits for longer than any limit, but the lock is passed on all the time. */
static void stand_in_line(struct turn turn)
{
	int failed = 0, i;

	for (i = 0; i < 3; i++) {
		if (line_up(turn, &failed) || !failed)
			break;
		test_note("an owner lost its CPU: once more");
	}
	if (i < 3)
		CHECK_EQ(failed, 0, "threads in a line that moves");
	else
		test_skip("in three tries an owner lost its CPU for too long");
}

static void test_line(void)
{
	stand_in_line((struct turn){ .ms = 175 });
}

/* Turns of 110 to 150 ms. */
static void test_line_uneven(void)
{
	int last = (online_cpus() < LINE ? online_cpus() : LINE) - 1;

	stand_in_line((struct turn){ .ms = 110, .step_ms = 40 / last });
}

static const struct test_case cases[] = {
	{ .name = "plain", .run = test_plain, .min_cpus = 2 },
	{ .name = "irqsave", .run = test_irqsave, .min_cpus = 2 },
	{ .name = "released_in_time", .run = test_released_in_time, .min_cpus = 2 },
	{ .name = "queue_dissolves", .run = test_queue_dissolves, .min_cpus = 3 },
	{ .name = "line", .run = test_line, .min_cpus = 4 },
	{ .name = "line_uneven", .run = test_line_uneven, .min_cpus = 4 },
	{},
};

TEST_SUITE(timeout, cases);
