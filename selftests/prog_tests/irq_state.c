// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interrupts and preemption after success and after failure, as the CPU sees them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "runner/runner.h"
#include "runner/bpf.h"
#include "runner/locks.h"
#include "selftests/progs/irq_state.skel.h"

static struct irq_state_bpf *load(const char *name)
{
	struct irq_state_bpf *skel = irq_state_bpf__open();
	long rq = percpu_offset("runqueues"), preempt = percpu_offset("__preempt_count");
	int err;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	if (rq >= 0 && preempt >= 0)
		skel->rodata->preempt_delta = preempt - rq;
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, name), true);
	err = irq_state_bpf__load(skel);
	if (!CHECK(!err, "load: %s", strerror(-err)))
		goto destroy;
	skel->bss->target_tid = gettid();
	err = irq_state_bpf__attach(skel);
	if (CHECK(!err, "attach to hrtimer_expire_entry: %s", strerror(-err)))
		return skel;
destroy:
	irq_state_bpf__destroy(skel);
	return NULL;
}

static void check_preempt_count(const struct irq_state_bpf *skel)
{
	if (skel->bss->preempt_known)
		CHECK_EQ(skel->bss->preempt_after, skel->bss->preempt_before, "preempt count");
	else
		test_note("no count of preemption to be read: not compared");
}

static void check_irq(const char *name, int want_irq, bool want_failure)
{
	struct irq_state_bpf *skel = load(name);
	int retval, err;

	if (!skel)
		return;
	err = prog_run(bpf_object__find_program_by_name(skel->obj, name), &retval);
	CHECK(!err, "run: %s", strerror(-err));
	CHECK_EQ(retval, want_irq, "a timer interrupt came");
	if (want_failure) {
		CHECK_EQ(skel->bss->failed_with, -EDEADLK, "second acquisition");
		check_preempt_count(skel);
	}
	check_locks_free(skel->obj);
	irq_state_bpf__destroy(skel);
}

#define IRQ_TEST(name, on, failure)            \
	static void test_##name(void)          \
	{                                      \
		check_irq(#name, on, failure); \
	}

IRQ_TEST(on_outside, 1, false)
IRQ_TEST(off_inside_local_save, 0, false)
IRQ_TEST(off_inside_irqsave, 0, false)
IRQ_TEST(on_inside_plain_lock, 1, false)
IRQ_TEST(on_after_failed_irqsave, 1, true)
IRQ_TEST(off_after_nested_failure, 0, true)
IRQ_TEST(on_after_nested_failure_and_release, 1, true)

#define CASE(test) { .name = #test, .run = test_##test }

static const struct test_case cases[] = {
	CASE(on_outside),
	CASE(off_inside_local_save),
	CASE(off_inside_irqsave),
	CASE(on_inside_plain_lock),
	CASE(on_after_failed_irqsave),
	CASE(off_after_nested_failure),
	CASE(on_after_nested_failure_and_release),
	{},
};

TEST_SUITE(irq_state, cases);
