// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts packets by flow, each flow under a lock of its own. Not XDP: a test run of several packets
 * patches the kernel's code there, which only one thread can do at a time.
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "attempts.bpf.h"
#include "flows.h"

#define ETH_P_IP	0x0800
#define IPV4_NO_OPTIONS 0x45

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FLOWS_NR);
	__type(key, __u32);
	__type(value, struct flow);
} flows SEC(".maps");

static __always_inline bool key_read(const struct __sk_buff *ctx, struct flow_key *key)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > (void *)(long)ctx->data_end)
		return false;
	if (eth->h_proto != bpf_htons(ETH_P_IP) || *(__u8 *)ip != IPV4_NO_OPTIONS ||
	    ip->protocol != IPPROTO_UDP)
		return false;
	key->saddr = ip->saddr;
	key->daddr = ip->daddr;
	key->sport = udp->source;
	key->dport = udp->dest;
	key->protocol = ip->protocol;
	return true;
}

static __always_inline void flow_count(struct flow *flow, __u32 bytes)
{
	__u64 begin = bpf_ktime_get_ns();
	int err = res_spin_lock(&flow->lock);

	if (!err) {
		flow->packets++;
		flow->bytes += bytes;
		res_spin_unlock(&flow->lock);
	}
	attempt_note(begin, err);
}

SEC("tc")
int packet_count(struct __sk_buff *ctx)
{
	struct flow_key key;
	struct flow *flow;
	__u32 slot;

	if (!key_read(ctx, &key))
		return 1;
	slot = flow_slot(&key);
	flow = bpf_map_lookup_elem(&flows, &slot);
	if (!flow)
		return 1;
	flow_count(flow, ctx->len);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
