// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Two orders, but never of the same elements. */
#include "maps.bpf.h"

SEC("tc")
int keys_there(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}

SEC("tc")
int keys_back(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 2), *b = elem_of(&users, 2);

	return a && b ? take_both(&b->lock, &a->lock) : 0;
}
