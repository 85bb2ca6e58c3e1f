// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Two maps in two orders, under keys that only the packet knows. */
#include "maps.bpf.h"

SEC("tc")
int maps_there(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, ctx->hash), *b = elem_of(&users, ctx->mark);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}

SEC("tc")
int maps_back(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, ctx->hash), *b = elem_of(&users, ctx->mark);

	return a && b ? take_both(&b->lock, &a->lock) : 0;
}
