// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The CPU's state of interrupts and preemption after success and after failure. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/irq_state.skel.h"
#include "selftests/kernel/progs/irq_timer.skel.h"

static struct irq_state_bpf *irq_state_load(const char *name)
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
	struct irq_state_bpf *skel = irq_state_load(name);
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

/* The callback runs for so long if it is not told to end. */
#define CALLBACK_NS 3000000000ULL

struct timer_end {
	struct irq_timer_bpf *skel;
	const struct bpf_program *prog;
};

/* Runs on another CPU than the callback. */
static int end_timer(void *arg)
{
	struct timer_end *end = arg;
	double deadline = now_ms() + 10e3;
	int retval = 0;

	while (!*(volatile __u32 *)&end->skel->bss->stage && now_ms() < deadline)
		;
	CHECK(!prog_run(end->prog, &retval), "run");
	__atomic_store_n(&end->skel->bss->release, 1, __ATOMIC_RELEASE);
	return retval;
}

/* The callback may go on for a while after it has been told to end. */
static bool wait_callback_end(const struct irq_timer_bpf *skel)
{
	double deadline = now_ms() + 10e3;

	while (*(volatile __u32 *)&skel->bss->stage != 2 && now_ms() < deadline)
		;
	return CHECK(skel->bss->stage == 2, "the callback does not end");
}

/* False if the kernel waited for the callback. */
static bool run_timer(struct irq_timer_bpf *skel, const char *start, const char *name, int want)
{
	struct timer_end end = { .skel = skel };
	struct role roles[2] = { { .call = end_timer, .arg = &end, .cpu = 0 }, { .cpu = 1 } };

	skel->bss->stage = skel->bss->release = 0;
	end.prog = bpf_object__find_program_by_name(skel->obj, name);
	roles[1].prog = bpf_object__find_program_by_name(skel->obj, start);
	run_roles(roles, 2);
	if (!CHECK_EQ(roles[1].retval, 0, "start of the timer") || !wait_callback_end(skel))
		return false;
	if (skel->bss->stage_after == 2 && kernel_shares_hole("timer-waits"))
		return false;
	CHECK_EQ(roles[0].retval, want, name);
	return CHECK_EQ(skel->bss->stage_after, 1, "the callback goes on afterwards");
}

#define TIMER_ROUNDS 5
#define LONGEST_NS   1000000 /* with interrupts off */

/*
 * Check the program's result, and that the call returned before the callback ended. Of several
 * calls the shortest counts: the virtual CPU may be preempted during the others.
 */
static void check_no_wait(const char *start, const char *name, int want)
{
	struct irq_timer_bpf *skel = irq_timer_bpf__open_and_load();
	__u64 shortest = ~0ULL;
	int retval, i;

	if (!CHECK(skel, "load: %s", strerror(errno)))
		return;
	if (!CHECK(!prog_run(skel->progs.measure, &retval) && skel->bss->loop_ns, "measure"))
		goto destroy;
	skel->data->loops = CALLBACK_NS / skel->bss->loop_ns + 1;
	for (i = 0; i < TIMER_ROUNDS; i++) {
		if (!run_timer(skel, start, name, want))
			goto destroy;
		if (skel->bss->call_ns < shortest)
			shortest = skel->bss->call_ns;
	}
	CHECK(shortest <= LONGEST_NS, "interrupts are off for %llu ns", shortest);
	test_note("%s: interrupts off for %llu ns, the shortest of %d", name, shortest, i);
destroy:
	irq_timer_bpf__destroy(skel);
}

/* Another CPU runs the callback: with interrupts off the call must not wait for its end. */
static void test_timer_cancel(void)
{
	check_no_wait("start_in_hash", "cancel", -EOPNOTSUPP);
}

static void test_timer_delete(void)
{
	check_no_wait("start_in_hash", "delete", 0);
}

static void test_timer_replace(void)
{
	check_no_wait("start_in_hash", "replace", 0);
}

static void test_timer_replace_in_array(void)
{
	check_no_wait("start_in_array", "replace_in_array", 0);
}

static void test_timer_evict(void)
{
	check_no_wait("start_in_lru", "evict", 0);
}

#define CASE(test) { .name = #test, .run = test_##test }

static const struct test_case cases[] = {
	{ .name = "timer_cancel", .run = test_timer_cancel, .min_cpus = 2 },
	{ .name = "timer_delete", .run = test_timer_delete, .min_cpus = 2 },
	{ .name = "timer_replace", .run = test_timer_replace, .min_cpus = 2 },
	{ .name = "timer_replace_in_array", .run = test_timer_replace_in_array, .min_cpus = 2 },
	{ .name = "timer_evict", .run = test_timer_evict, .min_cpus = 2 },
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
