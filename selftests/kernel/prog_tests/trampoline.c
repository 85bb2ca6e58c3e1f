// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/trampoline.skel.h"

static struct trampoline_bpf *trampoline_load(const char *entry, const char *driver)
{
	struct trampoline_bpf *skel;
	int err;

	if (!kernel_has_fentry()) {
		test_skip("this kernel refuses programs at function entry (lockdown, or no "
			  "CONFIG_FUNCTION_TRACER)");
		return NULL;
	}
	skel = trampoline_bpf__open();
	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, entry), true);
	if (driver)
		bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, driver),
					  true);
	err = trampoline_bpf__load(skel);
	if (CHECK(!err, "%s: load: %s", entry, strerror(-err))) {
		skel->bss->target_tid = gettid();
		err = trampoline_bpf__attach(skel);
		if (CHECK(!err, "%s: attach: %s", entry, strerror(-err)))
			return skel;
	}
	trampoline_bpf__destroy(skel);
	return NULL;
}

static void check_counts(struct trampoline_bpf *skel)
{
	CHECK_EQ(skel->bss->entered, 1, "runs of the program at entry");
	CHECK_EQ(skel->bss->edeadlk, 1, "-EDEADLK");
	CHECK_EQ(skel->bss->other, 0, "other results");
	check_locks_free(skel->obj);
}

/* BPF_PROG_TEST_RUN of an fentry program calls the functions it may be attached to. */
static void test_aa_at_entry(void)
{
	struct trampoline_bpf *skel = trampoline_load("aa_at_entry", NULL);
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (!skel)
		return;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.aa_at_entry), &opts);
	CHECK(!err, "run: %s", strerror(-err));
	check_counts(skel);
	trampoline_bpf__destroy(skel);
}

static void test_wants_held_lock(void)
{
	struct trampoline_bpf *skel = trampoline_load("want_held_lock", "push_under_lock");
	int retval, err;

	if (!skel)
		return;
	err = prog_run(skel->progs.push_under_lock, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(retval, 1, "the pushed node came back");
	check_counts(skel);
	trampoline_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "aa_at_entry", .run = test_aa_at_entry },
	{ .name = "wants_held_lock", .run = test_wants_held_lock },
	{},
};

TEST_SUITE(trampoline, cases);
