// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: assumed. The verifier has to know how much is read; its command may set another number. */
#include "maps.bpf.h"

const volatile __u32 head_length = 8;

SEC("tc")
int reads_head(struct __sk_buff *ctx)
{
	char head[16] = {};
	struct elem *e = elem_of(&users, 0);

	if (!e || bpf_skb_load_bytes(ctx, 0, head, head_length))
		return 0;
	return take_inlined(&e->lock) ?: head[0];
}
