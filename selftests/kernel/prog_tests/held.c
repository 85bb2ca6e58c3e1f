// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/held.skel.h"

static struct held_bpf *held_load(void)
{
	struct held_bpf *skel = held_bpf__open();
	int err;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	if (kernel_has_held_table())
		skel->rodata->held_delta = held_table_delta();
	else
		bpf_program__set_autoload(skel->progs.contents, false);
	err = held_bpf__load(skel);
	if (CHECK(!err, "load: %s", strerror(-err)))
		return skel;
	held_bpf__destroy(skel);
	return NULL;
}

static void check_contents(const struct held_bpf *skel)
{
	CHECK_EQ(skel->bss->before, 0, "entries before the first lock");
	CHECK_EQ(skel->bss->with_one, 1, "entries with one lock");
	CHECK_EQ(skel->bss->with_two, 2, "entries with two locks");
	CHECK_EQ(skel->bss->after_failure, 2, "entries after a failed third");
	CHECK_EQ(skel->bss->after_one, 1, "entries after one release");
	CHECK_EQ(skel->bss->after_all, 0, "entries after the last release");
	CHECK(skel->bss->listed[0] && skel->bss->listed[0] == skel->bss->addresses[0],
	      "oldest entry 0x%llx, first lock 0x%llx", skel->bss->listed[0],
	      skel->bss->addresses[0]);
	CHECK(skel->bss->listed[1] && skel->bss->listed[1] == skel->bss->addresses[1],
	      "next entry 0x%llx, second lock 0x%llx", skel->bss->listed[1],
	      skel->bss->addresses[1]);
}

static void test_contents(void)
{
	struct held_bpf *skel;
	int retval = 0, err;

	if (!kernel_has_held_table()) {
		test_skip("this kernel keeps no table of held locks");
		return;
	}
	skel = held_load();
	if (!skel)
		return;
	err = prog_run(skel->progs.contents, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	if (retval == -ENODEV) {
		test_skip("tasks do not lead to run queues here: no CONFIG_FAIR_GROUP_SCHED");
	} else {
		CHECK_EQ(retval, -EDEADLK, "third acquisition");
		check_contents(skel);
	}
	check_locks_free(skel->obj);
	held_bpf__destroy(skel);
}

/* Take all 34 locks, then lock @key again; returns the result and, in @ms, the duration. */
static int overflow_run(struct held_bpf *skel, unsigned int key, double *ms)
{
	int retval = 0, err;

	skel->bss->again_key = key;
	*ms = now_ms();
	err = prog_run(skel->progs.overflow, &retval);
	*ms = now_ms() - *ms;
	CHECK(!err, "run: %s", strerror(-err));
	check_locks_free(skel->obj);
	return retval;
}

/* A deadlock on a lock that the full table still lists is detected at once. */
static void test_overflow_listed(void)
{
	struct held_bpf *skel = held_load();
	double ms;

	if (!skel)
		return;
	CHECK_EQ(overflow_run(skel, 0, &ms), -EDEADLK, "first lock taken again");
	CHECK_EQ(overflow_run(skel, 29, &ms), -EDEADLK, "lock 29 taken again");
	if (kernel_has_held_table())
		CHECK_EQ(skel->bss->table_size, 31,
			 "entries of the table that this test relies on");
	held_bpf__destroy(skel);
}

/* Without a table nothing can overflow: the lock word contains the owner. */
static void check_found_at_once(struct held_bpf *skel, unsigned int key)
{
	double ms;

	CHECK_EQ(overflow_run(skel, key, &ms), -EDEADLK, "lock taken again");
	CHECK(ms < 250, "-EDEADLK took %.0f ms, as long as a time limit", ms);
}

/* A deadlock on a lock that the full table does not list ends by the time limit only. */
static void test_overflow_unlisted(void)
{
	struct held_bpf *skel = held_load();
	double ms, listed_ms;

	if (!skel)
		return;
	if (!kernel_has_held_table()) {
		check_found_at_once(skel, 32);
		goto destroy;
	}
	CHECK_EQ(overflow_run(skel, 32, &ms), -ETIMEDOUT, "unlisted lock taken again");
	CHECK(ms > 250, "-ETIMEDOUT after only %.0f ms", ms);
	CHECK_EQ(overflow_run(skel, 0, &listed_ms), -EDEADLK, "first lock taken again");
	CHECK(listed_ms < ms, "-EDEADLK took %.0f ms, -ETIMEDOUT %.0f ms", listed_ms, ms);
	test_note("unlisted lock: failed after %.0f ms; listed: %.1f ms", ms, listed_ms);
destroy:
	held_bpf__destroy(skel);
}

/* The table's last entry is listed, but not all kernels compare it. */
static void test_overflow_last_entry(void)
{
	struct held_bpf *skel = held_load();
	double ms;
	int err;

	if (!skel)
		return;
	if (!kernel_has_held_table()) {
		check_found_at_once(skel, 30);
		goto destroy;
	}
	err = overflow_run(skel, 30, &ms);
	CHECK(err == -EDEADLK || (err == -ETIMEDOUT && ms > 250), "result %d after %.0f ms", err,
	      ms);
	test_note("last entry of a full table: %s", err == -EDEADLK ? "compared" : "not compared");
destroy:
	held_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "contents", .run = test_contents },
	{ .name = "overflow_listed", .run = test_overflow_listed },
	{ .name = "overflow_unlisted", .run = test_overflow_unlisted },
	{ .name = "overflow_last_entry", .run = test_overflow_last_entry },
	{},
};

TEST_SUITE(held, cases);
