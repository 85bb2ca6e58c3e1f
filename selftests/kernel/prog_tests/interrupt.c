// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/interrupt.skel.h"

static struct interrupt_bpf *interrupt_load(void)
{
	struct interrupt_bpf *skel = interrupt_bpf__open_and_load();
	int err;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return NULL;
	skel->bss->target_tid = gettid();
	err = interrupt_bpf__attach(skel);
	if (CHECK(!err, "attach to hrtimer_expire_entry: %s", strerror(-err)))
		return skel;
	interrupt_bpf__destroy(skel);
	return NULL;
}

/* A plain lock leaves interrupts on: the same lock in the interrupt is an AA deadlock. */
static void test_plain_lock_is_reentered(void)
{
	struct interrupt_bpf *skel = interrupt_load();
	int retval, err;

	if (!skel)
		return;
	err = prog_run(skel->progs.hold_plain, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(retval, 1, "the interrupt got -EDEADLK while the lock was held");
	CHECK(skel->bss->while_held_edeadlk > 0, "no -EDEADLK");
	CHECK_EQ(skel->bss->while_held_other, 0, "other results while the lock was held");
	check_locks_free(skel->obj);
	interrupt_bpf__destroy(skel);
}

static void test_irqsave_shuts_it_out(void)
{
	struct interrupt_bpf *skel = interrupt_load();
	int retval, err;

	if (!skel)
		return;
	err = prog_run(skel->progs.hold_irqsave, &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(retval, 0, "an interrupt came while the lock was held");
	CHECK_EQ(skel->bss->while_held_edeadlk + skel->bss->while_held_other, 0,
		 "attempts while the lock was held");
	CHECK(skel->bss->while_free_ok > 0, "the interrupt never came at all");
	check_locks_free(skel->obj);
	interrupt_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "plain_lock_is_reentered", .run = test_plain_lock_is_reentered },
	{ .name = "irqsave_shuts_it_out", .run = test_irqsave_shuts_it_out },
	{},
};

TEST_SUITE(interrupt, cases);
