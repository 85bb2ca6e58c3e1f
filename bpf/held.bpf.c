// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copy every CPU's table of held locks. */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

#include "held.h"
#include "own.bpf.h"

const volatile __u32 nr_cpus;
__u64 held_addr[HELD_CPUS];
struct held_cpu held[HELD_CPUS];

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
