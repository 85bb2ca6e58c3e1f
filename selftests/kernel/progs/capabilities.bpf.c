// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Capabilities: a kernel has a capability if it accepts the program of that name
 * (runner/capability.c). A test names it if the expected verdict depends on it.
 */
#include "locks.h"

/* Programs that may interrupt anything can hold resilient locks. */
SEC("?raw_tp")
int tracing_locks(void *ctx)
{
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sockmap SEC(".maps");

/* Programs that process packets can change maps of sockets. */
SEC("?tc")
int sockmap_from_tc(struct __sk_buff *ctx)
{
	__u32 key = 0;

	return (int)bpf_map_delete_elem(&sockmap, &key);
}

/* Some machines refuse iterators that get the values of a map. */
SEC("?iter/bpf_map_elem")
int map_element_iterators(struct bpf_iter__bpf_map_elem *ctx)
{
	return 0;
}

/* For the tests of the runner: one program that every kernel accepts, one that none accepts. */
SEC("?tc")
int self_always(struct __sk_buff *ctx)
{
	return 0;
}

SEC("?tc")
int self_never(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

char _license[] SEC("license") = "Dual BSD/GPL";
