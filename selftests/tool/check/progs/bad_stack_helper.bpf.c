// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. A helper writes to a place on the stack that only the packet decides. */
#include "stack.bpf.h"

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 keys[4] = {};

	bpf_skb_load_bytes(ctx, 0, &keys[ctx->len & 3], sizeof(keys[0]));
	return under_table(bpf_map_lookup_elem(&users, &keys[0]));
}

OTHER_WAY(1)
