// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * XDP: a counter per EtherType of the packets seen, guarded by a lock in the map value. A packet is
 * never worth waiting for: on failure a real filter would let it pass uncounted.
 *   bpftool prog loadall xdp.bpf.o /sys/fs/bpf/xdp
 *   bpftool prog run pinned /sys/fs/bpf/xdp/xdp_count data_in /etc/os-release repeat 1000
 * Expect: 0. (A real XDP program returns XDP_PASS; this one returns the error to show it.)
 */
#include "sample.bpf.h"
#include <bpf/bpf_endian.h>
#include <rqspin/res_lock_array.bpf.h>

#define KINDS 64

struct kind {
	struct bpf_res_spin_lock lock;
	__u64 packets;
	__u64 bytes;
};

RES_LOCK_MAP(kinds, struct kind, KINDS);

SEC("xdp")
int xdp_count(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;
	struct sample_scope s;
	struct kind *kind;
	int err;

	if ((void *)(eth + 1) > end)
		return -EINVAL;
	kind = res_lock_map_elem(&kinds, bpf_ntohs(eth->h_proto) % KINDS);
	if (!kind)
		return -EINVAL;
	sample_begin(&s);
	err = res_spin_lock(&kind->lock);
	if (err) {
		sample_fail(&s, &kind->lock, err);
		return sample_end(&s);
	}
	kind->packets++;
	kind->bytes += end - (void *)eth;
	res_spin_unlock(&kind->lock);
	return sample_end(&s);
}
