// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. As bad_order_through_other.bpf.c, but the way back is that of the order. */
#include "orders.bpf.h"

struct bpf_res_spin_lock between __hidden SEC(".data.between");

SEC("tc")
int in_order(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a < b ? take_keys(flows, a, b) : 0;
}

SEC("tc")
int out(struct __sk_buff *ctx)
{
	struct elem *low = elem_of(&flows, 3);

	return low ? take_both(&low->lock, &between) : 0;
}

SEC("tc")
int back(struct __sk_buff *ctx)
{
	struct elem *high = elem_of(&flows, 7);

	return high ? take_both(&between, &high->lock) : 0;
}
