// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. The order depends on two constants, which need not be the same. */
#include "maps.bpf.h"

const volatile int reverse, backwards;

SEC("tc")
int first(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	if (!a || !b)
		return 0;
	return reverse ? take_both(&b->lock, &a->lock) : take_both(&a->lock, &b->lock);
}

SEC("tc")
int second(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	if (!a || !b)
		return 0;
	return backwards ? take_both(&b->lock, &a->lock) : take_both(&a->lock, &b->lock);
}
