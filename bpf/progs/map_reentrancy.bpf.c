// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locks inside maps fail too: a program at the entry of a function that a hash map calls with its
 * bucket locked updates the same key. The inner update is an AA deadlock on the bucket's lock.
 *   bpftool prog loadall map_reentrancy.bpf.o /sys/fs/bpf/reentrancy autoattach
 *   bpftool prog run name reentrancy_outer data_in /etc/os-release repeat 100
 * Expect: the outer update succeeds, the inner one gets -35 (-EDEADLK), and the run returns that.
 * Needs trampolines (function tracing in the kernel, no lockdown).
 */
#include "sample.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} table SEC(".maps");

bool updating[SAMPLE_CPUS];
int inner_err[SAMPLE_CPUS];

/* Makes the new element while its bucket is locked; most functions further in cannot be traced. */
SEC("fentry/alloc_htab_elem")
int BPF_PROG(reentrancy_inner)
{
	__u32 cpu = bpf_get_smp_processor_id() % SAMPLE_CPUS, key = 0;
	__u64 value = 2;

	if (updating[cpu])
		inner_err[cpu] = bpf_map_update_elem(&table, &key, &value, BPF_ANY);
	return 0;
}

SEC("tc")
int reentrancy_outer(struct __sk_buff *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id() % SAMPLE_CPUS, key = 0;
	struct sample_scope s;
	__u64 value = 1;
	int err;

	sample_begin(&s);
	updating[cpu] = true;
	inner_err[cpu] = 0;
	err = bpf_map_update_elem(&table, &key, &value, BPF_ANY);
	updating[cpu] = false;
	bpf_map_delete_elem(&table, &key);
	s.err = err ?: inner_err[cpu];
	return sample_end(&s);
}
