// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. What is merely const stays as it is: two locks in the order of a table. */
#include "maps.bpf.h"

static const __u32 order[] = { 3, 5, 3 };
const volatile __u32 first;

SEC("tc")
int by_table(struct __sk_buff *ctx)
{
	__u32 zero = 0;
	const __u32 *keys = order;
	struct elem *a, *b;

	asm volatile("" : "+r"(keys));
	a = elem_of(&flows, keys[0]);
	b = elem_of(&flows, keys[1]);
	return a && b ? take_both(&a->lock, &b->lock) : (int)zero;
}

SEC("tc")
int once_more(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, first), *b = elem_of(&users, first);

	return a && b ? take_both(&a->lock, &b->lock) : 0;
}
