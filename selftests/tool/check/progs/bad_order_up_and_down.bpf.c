// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. The lower key first in one program, the higher one in the other. */
#include "orders.bpf.h"

SEC("tc")
int up(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a < b ? take_keys(flows, a, b) : 0;
}

SEC("tc")
int down(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a > b ? take_keys(flows, a, b) : 0;
}
