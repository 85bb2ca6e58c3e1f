// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. How much a helper writes was told by the one before. */
#include "stack.bpf.h"

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 keys[4] = {};
	long size = bpf_probe_read_kernel_str(&keys[2], 8, &table);

	if (size < 1 || size > 8)
		return 0;
	bpf_skb_load_bytes(ctx, 0, &keys[0], size);
	return under_table(bpf_map_lookup_elem(&users, &keys[0]));
}

OTHER_WAY(1)
