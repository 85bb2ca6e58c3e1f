// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. In order, but for two keys that are fixed. */
#include "orders.bpf.h"

SEC("tc")
int in_order(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a < b ? take_keys(flows, a, b) : 0;
}

SEC("tc")
int fixed(struct __sk_buff *ctx)
{
	__u32 a = 7, b = 3;

	return take_keys(flows, a, b);
}
