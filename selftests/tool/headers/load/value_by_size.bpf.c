// error: map 'bysize' has to have BTF in order to use bpf_res_spin_lock
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

struct value {
	struct bpf_res_spin_lock lock;
	__u64 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct value));
} bysize SEC(".maps");

SEC("tc") int program(struct __sk_buff *skb)
{
	__u32 key = 0;
	struct value *value = bpf_map_lookup_elem(&bysize, &key);

	if (!value || res_spin_lock(&value->lock))
		return 0;
	value->count++;
	res_spin_unlock(&value->lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
