// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A lock in every element of a hash map: two fields that must change together, per packet length.
 *   bpftool prog loadall map_value.bpf.o /sys/fs/bpf/map_value
 *   bpftool prog run pinned /sys/fs/bpf/map_value/map_value data_in /etc/os-release repeat 1000
 *   bpftool map dump name flows
 * Expect: 0; "bytes" is "packets" times the length.
 */
#include "sample.bpf.h"

struct flow {
	struct bpf_res_spin_lock lock;
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 128);
	__type(key, __u32);
	__type(value, struct flow);
} flows SEC(".maps");

static __always_inline struct flow *flow_of(__u32 len)
{
	struct flow fresh = {}, *f = bpf_map_lookup_elem(&flows, &len);

	if (f)
		return f;
	/* Losing the race against another CPU is fine: the element is there then. */
	bpf_map_update_elem(&flows, &len, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&flows, &len);
}

SEC("tc")
int map_value(struct __sk_buff *ctx)
{
	struct flow *f = flow_of(ctx->len);
	struct sample_scope s;
	int err;

	if (!f)
		return -ENOMEM;
	sample_begin(&s);
	err = res_spin_lock(&f->lock);
	if (err) {
		sample_fail(&s, &f->lock, err);
		return sample_end(&s);
	}
	f->packets++;
	f->bytes += ctx->len;
	res_spin_unlock(&f->lock);
	return sample_end(&s);
}
