// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. The packet decides about one of two places, and the key stands beside them. */
#include "stack.bpf.h"

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	volatile __u32 keys[4] = {};

	keys[2 + (ctx->len & 1)] = 1;
	return under_table(bpf_map_lookup_elem(&users, (void *)&keys[0]));
}

OTHER_WAY(1)
