// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. The lower and the higher one, if they differ. */
#include "orders.bpf.h"

SEC("tc")
int min_max(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark & 63, b = ctx->priority & 63;
	__u32 low = a < b ? a : b, high = a < b ? b : a;

	return low == high ? 0 : take_keys(flows, low, high);
}

/* The higher one first, in another map. */
SEC("tc")
int down(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark & 63, b = ctx->priority & 63;

	return a > b ? take_keys(users, a, b) : 0;
}

SEC("tc")
int down_fixed(struct __sk_buff *ctx)
{
	__u32 a = 7, b = 3;

	return take_keys(users, a, b);
}

/* Three, each above the one before. */
SEC("syscall")
int three(__u32 *keys)
{
	__u64 a = keys[0], b = keys[1], c = keys[2];
	struct elem *z = bpf_map_lookup_elem(&wide, &c), *x, *y;
	int err;

	if (a >= b || b >= c || !z)
		return 0;
	x = bpf_map_lookup_elem(&wide, &a);
	y = bpf_map_lookup_elem(&wide, &b);
	if (!x || !y)
		return 0;
	err = bpf_res_spin_lock(&x->lock);
	if (err)
		return err;
	err = take_both(&y->lock, &z->lock);
	bpf_res_spin_unlock(&x->lock);
	return err;
}
