// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Two elements in the order of their addresses, whichever they are. */
#include "maps.bpf.h"

SEC("tc")
int by_address(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, ctx->hash), *b = elem_of(&flows, ctx->mark);

	if (!a || !b || a == b)
		return 0;
	return a < b ? take_both(&a->lock, &b->lock) : take_both(&b->lock, &a->lock);
}
