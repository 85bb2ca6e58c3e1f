// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where each CPU's run queue is. Two ways, since no kernel has to offer either: a symbol needs
 * CONFIG_KALLSYMS_ALL, a task leads to its CPU's with CONFIG_FAIR_GROUP_SCHED.
 */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#include "fair_rq.bpf.h"
#include "held.h"
#include "own.bpf.h"

const volatile __u32 nr_cpus;
__u64 rq_addr[HELD_CPUS];

extern const struct rq runqueues __ksym __weak;

/* Only the distance between CPUs' copies is of interest; it is the same for all per-CPU memory. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} percpu_ruler SEC(".maps");

SEC("?syscall")
int rqspin_by_task(void *ctx)
{
	__u64 rq = fair_rq(bpf_get_current_task_btf());
	__u32 cpu, zero = 0;
	void *here = bpf_map_lookup_elem(&percpu_ruler, &zero);

	if (!rq || !here)
		return -2;
	bpf_for(cpu, 0, nr_cpus) {
		void *there = bpf_map_lookup_percpu_elem(&percpu_ruler, &zero, cpu);

		__u64 distance;

		if (!there || cpu >= HELD_CPUS)
			continue;
		/* Pointer minus pointer is all the verifier lets us do with the two. */
		distance = there - here;
		barrier_var(distance);
		rq_addr[cpu] = rq + distance;
	}
	return 0;
}

SEC("?syscall")
int rqspin_by_symbol(void *ctx)
{
	__u32 cpu;

	bpf_for(cpu, 0, nr_cpus)
		if (cpu < HELD_CPUS)
			rq_addr[cpu] = (__u64)bpf_per_cpu_ptr(&runqueues, cpu);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
