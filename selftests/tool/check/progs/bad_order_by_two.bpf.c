// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. By key in one program, by address in the other. */
#include "orders.bpf.h"

SEC("syscall")
int by_key(struct pair *p)
{
	__u64 a = p->a, b = p->b;

	return a < b ? take_keys(wide, a, b) : a > b ? take_keys(wide, b, a) : 0;
}

SEC("syscall")
int by_address(struct pair *p)
{
	__u64 a = p->a, b = p->b;
	struct elem *x = bpf_map_lookup_elem(&wide, &a), *y = bpf_map_lookup_elem(&wide, &b);

	if (!x || !y)
		return 0;
	return x < y ? take_both(&x->lock, &y->lock) : y < x ? take_both(&y->lock, &x->lock) : 0;
}
