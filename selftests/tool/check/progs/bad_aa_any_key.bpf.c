// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: aa. One key, looked up twice. */
#include "maps.bpf.h"

SEC("tc")
int twice(struct __sk_buff *ctx)
{
	__u32 key = ctx->hash;
	struct elem *a = bpf_map_lookup_elem(&flows, &key), *b = bpf_map_lookup_elem(&flows, &key);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}
