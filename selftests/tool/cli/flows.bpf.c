// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Typical user programs: the packet determines the elements of a hash map to lock, and the order.
 */
#include <vmlinux.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <rqspin/res_events.bpf.h>
#include <rqspin/res_lock_pair.bpf.h>

#define ETH_P_IP 0x0800
#define WAIT	 4000

struct flow {
	struct bpf_res_spin_lock lock;
	__u64 packets;
	__u32 busy; /* only for the test: the flow's lock is held */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be32);
	__type(value, struct flow);
} flows SEC(".maps");

static struct flow *flow_get(__be32 addr)
{
	struct flow *flow = bpf_map_lookup_elem(&flows, &addr), none = {};

	if (flow)
		return flow;
	bpf_map_update_elem(&flows, &addr, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&flows, &addr);
}

static __always_inline int flow_move(struct res_scope *scope, struct flow *from, struct flow *to)
{
	int err = res_spin_lock(&from->lock);

	if (err) {
		res_scope_fail(scope, &from->lock, err);
		return err;
	}
	from->busy = 1;
	for (int i = 0; i < WAIT && !__sync_fetch_and_add(&to->busy, 0); i++)
		;
	err = res_spin_lock(&to->lock);
	if (err) {
		res_scope_fail(scope, &to->lock, err);
	} else {
		to->packets++;
		res_spin_unlock(&to->lock);
	}
	from->busy = 0;
	res_spin_unlock(&from->lock);
	return err;
}

static __always_inline int move_pair(struct res_scope *scope, struct flow *from, struct flow *to)
{
	struct res_pair pair;
	int err = res_pair_lock(&pair, &from->lock, &to->lock);

	if (err) {
		res_scope_fail_pair(scope, &pair, err);
		return err;
	}
	to->packets++;
	res_pair_unlock(&pair);
	return 0;
}

static __always_inline int packet_flows(struct xdp_md *ctx, struct flow **from, struct flow **to)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = data + sizeof(*eth);

	if ((void *)(ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP))
		return -1;
	*from = flow_get(ip->saddr);
	*to = flow_get(ip->daddr);
	return *from && *to ? 0 : -1;
}

/* Locks the flows as a pair; if both are one flow, it is locked in a branch of its own. */
static __always_inline int move_either(struct res_scope *scope, struct flow *from, struct flow *to)
{
	if (from != to)
		return move_pair(scope, from, to);
	res_guard(&from->lock) {
		from->packets += 2;
	}
	res_guard_failed(err) {
		res_scope_fail(scope, &from->lock, err);
		return err;
	}
	return 0;
}

typedef int (*move_fn)(struct res_scope *scope, struct flow *from, struct flow *to);

static __always_inline int packet_account(struct xdp_md *ctx, move_fn how)
{
	struct flow *from = NULL, *to = NULL;
	struct res_scope scope;

	if (packet_flows(ctx, &from, &to) || !from || !to)
		return XDP_PASS;
	res_scope_begin(&scope);
	return how(&scope, from, to) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int account(struct xdp_md *ctx)
{
	return packet_account(ctx, flow_move);
}

SEC("xdp")
int account_either(struct xdp_md *ctx)
{
	return packet_account(ctx, move_either);
}

SEC("xdp")
int account_pair(struct xdp_md *ctx)
{
	return packet_account(ctx, move_pair);
}

char _license[] SEC("license") = "Dual BSD/GPL";
