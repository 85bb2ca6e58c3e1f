// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. A pointer leads to the stack, or to an unknown place in a map. */
#include "stack.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32[8]);
} numbers SEC(".maps");

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 *at = elem_of(&numbers, 0), key = 0;

	if (!at)
		return 0;
	at = ctx->len & 1 ? at + (ctx->mark & 7) : &key;
	asm volatile("" : "+r"(at));
	*at = 1;
	return under_table(bpf_map_lookup_elem(&users, &key));
}

OTHER_WAY(1)
