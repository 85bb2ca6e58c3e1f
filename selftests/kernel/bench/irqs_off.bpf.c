// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures how long the code of a lock that all threads want keeps interrupts off. The tracepoints
 * exist in kernels with CONFIG_TRACE_IRQFLAGS. A CPU writes its own sites only.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "convoy.h"
#include "irqs_off.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 count;	  /* changed under the lock only */
__u64 unrecorded; /* events at sites for which there was no room */

const volatile struct irqs_off_range ranges[IRQS_OFF_RANGES];
struct irqs_off_site sites[IRQS_OFF_CPUS][IRQS_OFF_SITES];

struct {
	__u64 ip, since;
} off[IRQS_OFF_CPUS];

/* Virtual CPUs are often preempted here, so that the others find the lock held, and queue. */
static void lock_hold(void)
{
	int i;

	bpf_for(i, 0, IRQS_OFF_HOLD)
		barrier_var(i);
}

static long lock_acquire(__u32 i, void *ctx)
{
	if (res_spin_lock(&lock))
		return 0;
	count++;
	lock_hold();
	res_spin_unlock(&lock);
	return 0;
}

SEC("tc")
int contend(struct __sk_buff *ctx)
{
	return bpf_loop(CONVOY_BATCH, lock_acquire, NULL, 0) != CONVOY_BATCH;
}

static bool in_lock(__u64 ip)
{
	for (int i = 0; i < IRQS_OFF_RANGES; i++)
		if (ip - ranges[i].from < ranges[i].to - ranges[i].from)
			return true;
	return false;
}

SEC("raw_tp/irq_disable")
int turned_off(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id() % IRQS_OFF_CPUS;

	off[cpu].since = 0;
	if (!in_lock(ctx->args[0]))
		return 0;
	off[cpu].ip = ctx->args[0];
	off[cpu].since = bpf_ktime_get_ns();
	return 0;
}

static struct irqs_off_site *site_of(__u32 cpu, __u64 ip)
{
	for (int i = 0; i < IRQS_OFF_SITES; i++) {
		struct irqs_off_site *s = &sites[cpu][i];

		if (!s->ip)
			s->ip = ip;
		if (s->ip == ip)
			return s;
	}
	return NULL;
}

SEC("raw_tp/irq_enable")
int turned_on(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id() % IRQS_OFF_CPUS;
	struct irqs_off_site *s;
	__u64 ns;

	if (!off[cpu].since)
		return 0;
	ns = bpf_ktime_get_ns() - off[cpu].since;
	off[cpu].since = 0;
	s = site_of(cpu, off[cpu].ip);
	if (!s) {
		__sync_fetch_and_add(&unrecorded, 1);
		return 0;
	}
	histogram_add(&s->times, ns);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
