// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. The order of one of them depends on what its command sets before it loads it. */
#include "maps.bpf.h"

const volatile int reverse = 0;

SEC("tc")
int maps_there(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}

SEC("tc")
int maps_back_if_told(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	if (!reverse)
		return 0;
	return a && b ? take_both(&b->lock, &a->lock) : 0;
}
