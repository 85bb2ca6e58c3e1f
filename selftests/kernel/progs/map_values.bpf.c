// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks in map values that user space touches too; see prog_tests/map_values.c. */
#include "test_kfuncs.h"

struct one_lock {
	struct bpf_res_spin_lock lock;
	__u32 count;
};

struct lock_in_the_middle {
	__u64 before;
	struct bpf_res_spin_lock lock;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, struct one_lock);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, struct lock_in_the_middle);
} hash SEC(".maps");

SEC("tc")
int lock_hash_value(struct __sk_buff *ctx)
{
	struct lock_in_the_middle *v;
	__u32 key = 1;

	v = bpf_map_lookup_elem(&hash, &key);
	if (!v || bpf_res_spin_lock(&v->lock))
		return -1;
	v->before++;
	v->count++;
	bpf_res_spin_unlock(&v->lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
