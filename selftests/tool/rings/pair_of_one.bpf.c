// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fails each time without asking the kernel: no source that watches the kernel reports it. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_lock_pair.bpf.h>
#include <rqspin/res_events.bpf.h>

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

SEC("tc") int pair_of_one(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct slot *one = bpf_map_lookup_elem(&slots, &key);
	struct slot *same = bpf_map_lookup_elem(&slots, &key);
	struct res_scope scope;
	struct res_pair pair;
	int err;

	if (!one || !same)
		return 0;
	res_scope_begin(&scope);
	err = res_pair_lock(&pair, &one->lock, &same->lock);
	if (err)
		res_scope_fail_pair(&scope, &pair, err);
	else
		res_pair_unlock(&pair);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
