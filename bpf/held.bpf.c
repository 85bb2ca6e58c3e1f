// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copy every CPU's table of held locks. */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "held.h"
#include "own.bpf.h"

const volatile __u32 nr_cpus;
const volatile __s64 delta; /* from a CPU's run queue to its table */
__u64 held_addr[HELD_CPUS];
struct held_cpu held[HELD_CPUS];

struct rq___own {
	struct task_struct *curr;
} __attribute__((preserve_access_index));

static void copy_task(struct held_cpu *out, __u64 rq)
{
	struct task_struct *task = NULL;

	if (bpf_core_field_exists(struct rq___own, curr))
		task = BPF_CORE_READ((struct rq___own *)rq, curr);
	if (!task)
		return;
	out->pid = BPF_CORE_READ(task, tgid);
	out->tid = BPF_CORE_READ(task, pid);
	BPF_CORE_READ_STR_INTO(&out->comm, task, comm);
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
	out->pid = out->tid = 0;
	if (out->nr)
		copy_task(out, addr - delta);
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
