// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kernels that let tracing programs hold resilient locks must find their deadlocks, too. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/capability.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/tracing.skel.h"

static struct tracing_bpf *tracing_load(const char *first, const char *second)
{
	struct tracing_bpf *skel;
	int err;

	if (!kernel_can("tracing_locks")) {
		test_skip("this kernel does not let tracing programs hold locks");
		return NULL;
	}
	skel = tracing_bpf__open();
	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, first), true);
	if (second)
		bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, second),
					  true);
	err = tracing_bpf__load(skel);
	if (CHECK(!err, "load: %s", strerror(-err)))
		return skel;
	tracing_bpf__destroy(skel);
	return NULL;
}

static void test_aa_in_raw_tp(void)
{
	struct tracing_bpf *skel = tracing_load("aa", NULL);
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (!skel)
		return;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.aa), &opts);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(skel->bss->second, -EDEADLK, "second acquisition");
	check_locks_free(skel->obj);
	tracing_bpf__destroy(skel);
}

/* A software clock that interrupts this thread on any CPU; no PMU is needed. */
static int open_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = 100000,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void run_under_clock(struct tracing_bpf *skel, int clock)
{
	struct bpf_link *link;
	int retval, err;

	link = bpf_program__attach_perf_event(skel->progs.want_held_lock, clock);
	if (!CHECK(link, "attach: %s", strerror(errno))) {
		close(clock);
		return;
	}
	skel->bss->target_tid = gettid();
	err = prog_run(skel->progs.hold, &retval);
	CHECK(!err && !retval, "hold: %s, returned %d", strerror(-err), retval);
	CHECK(skel->bss->edeadlk > 0, "no interrupt got -EDEADLK");
	CHECK_EQ(skel->bss->other, 0, "other results while the lock was held");
	bpf_link__destroy(link);
}

static void test_perf_event_on_top_of_an_owner(void)
{
	struct tracing_bpf *skel = tracing_load("want_held_lock", "hold");
	int clock;

	if (!skel)
		return;
	clock = open_clock();
	if (clock >= 0) {
		run_under_clock(skel, clock);
		check_locks_free(skel->obj);
	} else {
		test_skip("this kernel has no perf events: %s", strerror(errno));
	}
	tracing_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "aa_in_raw_tp", .run = test_aa_in_raw_tp },
	{ .name = "perf_event_on_top_of_an_owner", .run = test_perf_event_on_top_of_an_owner },
	{},
};

TEST_SUITE(tracing, cases);
