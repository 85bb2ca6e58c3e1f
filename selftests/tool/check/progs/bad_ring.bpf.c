// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Each takes an element and the next one, the last the first. */
#include "maps.bpf.h"

SEC("tc")
int neighbour(struct __sk_buff *ctx)
{
	__u32 i = ctx->mark & 63;
	struct elem *a = elem_of(&users, i), *b = elem_of(&users, (i + 1) & 63);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}
