// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A typical user program: the only one of its object, for packets, with a verdict. */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

#define LONG_PACKET 100

struct flow {
	struct bpf_res_spin_lock lock;
	__u64 packets;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow);
} flows SEC(".maps");

/* Deadlocks with itself on long packets, and passes all packets. */
SEC("xdp")
int count_long(struct xdp_md *ctx)
{
	__u32 key = 0;
	struct flow *flow = bpf_map_lookup_elem(&flows, &key);
	struct flow *again = bpf_map_lookup_elem(&flows, &key);

	if (!flow || !again || ctx->data_end - ctx->data < LONG_PACKET)
		return XDP_PASS;
	if (res_spin_lock(&flow->lock))
		return XDP_PASS;
	flow->packets++;
	if (!res_spin_lock(&again->lock))
		res_spin_unlock(&again->lock);
	res_spin_unlock(&flow->lock);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
