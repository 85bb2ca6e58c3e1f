// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. Two elements of one map, in an order that nobody has looked at. */
#include "maps.bpf.h"

SEC("tc")
int transfer(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, ctx->hash), *b = elem_of(&flows, ctx->mark);

	return a && b && a != b ? take_both(&a->lock, &b->lock) : 0;
}
