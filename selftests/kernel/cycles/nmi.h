/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of bpf_test_rqspinlock.c by NMIs that CPU 0 sends: an emulated CPU has no
 * counters. Its callback runs in the handler, as it does for a counter. A counter stands still in
 * its handler, so the next NMI comes half a millisecond or more after the end of the last one:
 * sent earlier, it would be taken at that end, and what is below the NMIs would never go on.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "outcome.h"

#define NMI_GAP_NS (NSEC_PER_MSEC / 2)

static void nmi_cb(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

static struct cpumask nmi_targets;
static struct task_struct *nmi_sender;
static int nmi_events;
/* An NMI is under way to this CPU, or its handler runs. */
static DEFINE_PER_CPU(int, nmi_sent);
static DEFINE_PER_CPU(u64, nmi_ended);

static int nmi_receive(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(nmi_sent))
		return NMI_DONE;
	nmi_cb(NULL, NULL, regs);
	this_cpu_write(nmi_ended, ktime_get_mono_fast_ns());
	smp_store_release(this_cpu_ptr(&nmi_sent), 0);
	return NMI_HANDLED;
}

/* Is it time for the next NMI of @cpu? */
static bool nmi_due(int cpu)
{
	return !smp_load_acquire(per_cpu_ptr(&nmi_sent, cpu)) &&
	       ktime_get_mono_fast_ns() - per_cpu(nmi_ended, cpu) >= NMI_GAP_NS;
}

static int nmi_send(void *arg)
{
	int cpu;

	while (!kthread_should_stop()) {
		for_each_cpu(cpu, &nmi_targets)
		{
			if (!nmi_due(cpu))
				continue;
			per_cpu(nmi_sent, cpu) = 1;
			__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		}
		usleep_range(200, 400);
	}
	return 0;
}

static struct perf_event *nmi_event_create(int cpu)
{
	int err;

	if (nmi_events++)
		return (void *)(long)(cpu + 1);
	err = register_nmi_handler(NMI_LOCAL, nmi_receive, 0, "rqspin_upstream");
	if (err)
		return ERR_PTR(err);
	nmi_sender = kthread_create(nmi_send, NULL, "rqspin_nmi");
	if (IS_ERR(nmi_sender)) {
		unregister_nmi_handler(NMI_LOCAL, "rqspin_upstream");
		return ERR_CAST(nmi_sender);
	}
	kthread_bind(nmi_sender, 0);
	wake_up_process(nmi_sender);
	return (void *)(long)(cpu + 1);
}

static void nmi_event_release(struct perf_event *event)
{
	cpumask_clear_cpu((long)event - 1, &nmi_targets);
	if (--nmi_events)
		return;
	kthread_stop(nmi_sender);
	/* The last NMI may be under way, and its section takes 10 ms. */
	mdelay(200);
	unregister_nmi_handler(NMI_LOCAL, "rqspin_upstream");
	outcome_print();
}

#define perf_event_create_kernel_counter(attr, cpu, task, cb, data) \
	((void)(attr), nmi_event_create(cpu))
#define perf_event_enable(event)	 cpumask_set_cpu((long)(event) - 1, &nmi_targets)
#define perf_event_release_kernel(event) nmi_event_release(event)
