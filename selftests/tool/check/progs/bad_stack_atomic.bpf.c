// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. An atomic addition makes another key. */
#include "stack.bpf.h"

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 pad = 0, key = 0;

	__sync_fetch_and_add(&key, 1);
	pad = bpf_get_prandom_u32();
	return under_table(bpf_map_lookup_elem(&users, &key)) + pad;
}

OTHER_WAY(1)
