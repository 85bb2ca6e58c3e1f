// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Find and copy every CPU's table of held locks. The table is found from an
 * address that kernel structures lead to, because a kernel without
 * CONFIG_KALLSYMS_ALL resolves no per-CPU variable by name.
 */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#include "fair_rq.bpf.h"
#include "held.h"
#include "own.bpf.h"

const volatile __u32 nr_cpus;
const volatile __s64 held_delta; /* from runqueues to rqspinlock_held_locks */
__u64 held_addr[HELD_CPUS];
struct held_cpu held[HELD_CPUS];

/* Only the distance between CPUs' copies is of interest; it is the same for all per-CPU memory. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} percpu_ruler SEC(".maps");

SEC("syscall")
int rqspin_locate(void *ctx)
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
		held_addr[cpu] = rq + held_delta + distance;
	}
	return 0;
}

static void copy_table(struct held_cpu *out, __u64 addr)
{
	struct rqspinlock_held table;

	out->top_word = 0;
	out->nr = 0;
	if (!addr || bpf_probe_read_kernel(&table, sizeof(table), (void *)addr))
		return;
	for (__u32 i = 0; i < HELD_ENTRIES; i++)
		out->locks[i] = (__u64)table.locks[i];
	out->nr = table.cnt;
	if (out->nr && out->nr <= HELD_ENTRIES)
		bpf_probe_read_kernel(&out->top_word, sizeof(out->top_word),
				      (void *)out->locks[out->nr - 1]);
}

SEC("syscall")
int rqspin_snapshot(void *ctx)
{
	__u32 cpu;

	bpf_for(cpu, 0, nr_cpus)
		if (cpu < HELD_CPUS)
			copy_table(&held[cpu], held_addr[cpu]);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
