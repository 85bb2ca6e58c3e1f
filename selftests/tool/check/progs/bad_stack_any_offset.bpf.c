// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. A number goes to a place on the stack that only the packet decides. */
#include "stack.bpf.h"

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	volatile __u32 keys[4] = {};

	keys[ctx->len & 3] = 1;
	return under_table(bpf_map_lookup_elem(&users, (void *)&keys[0]));
}

OTHER_WAY(1)
