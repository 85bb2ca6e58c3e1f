// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. What a slice of a packet is may be the buffer that was given. */
#include "stack.bpf.h"

extern void *bpf_dynptr_slice_rdwr(const struct bpf_dynptr *packet, __u32 offset, void *buffer,
				   __u32 size) __ksym;
extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags,
			       struct bpf_dynptr *packet) __ksym;

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	struct bpf_dynptr packet;
	__u32 key = 0, *slice;

	if (bpf_dynptr_from_skb(ctx, 0, &packet))
		return 0;
	slice = bpf_dynptr_slice_rdwr(&packet, 0, &key, sizeof(key));
	if (!slice)
		return 0;
	key = 0;
	asm volatile("" : "+r"(slice) : : "memory");
	*slice = 1;
	return under_table(bpf_map_lookup_elem(&users, &key));
}

OTHER_WAY(1)
