// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that takes the lock of one element twice; its map allocates each element by itself. */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>
#include <rqspin/res_events.bpf.h>

struct flow {
	__u64 packets;
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct flow);
} sparse SEC(".maps");

static __always_inline int flow_lock(struct res_scope *scope, struct flow *flow)
{
	int err = res_spin_lock(&flow->lock);

	if (err)
		res_scope_fail(scope, &flow->lock, err);
	return err;
}

SEC("tc")
int lock_twice(struct __sk_buff *ctx)
{
	struct flow none = {}, *first, *again;
	struct res_scope scope;
	__u32 key = 7;

	bpf_map_update_elem(&sparse, &key, &none, BPF_NOEXIST);
	first = bpf_map_lookup_elem(&sparse, &key);
	again = bpf_map_lookup_elem(&sparse, &key);
	if (!first || !again)
		return 0;
	res_scope_begin(&scope);
	if (flow_lock(&scope, first))
		return 0;
	if (!flow_lock(&scope, again))
		res_spin_unlock(&again->lock);
	res_spin_unlock(&first->lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
