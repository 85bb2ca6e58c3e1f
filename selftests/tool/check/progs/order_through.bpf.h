/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two elements in order, and from one of them to the other through another lock: FROM_KEY and
 * TO_KEY say which, before this is included.
 */
#ifndef ORDER_THROUGH_BPF_H
#define ORDER_THROUGH_BPF_H

#include "orders.bpf.h"

struct bpf_res_spin_lock between __hidden SEC(".data.between");

SEC("tc")
int order_keys(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a < b ? take_keys(flows, a, b) : 0;
}

SEC("tc")
int order_to_between(struct __sk_buff *ctx)
{
	struct elem *from = elem_of(&flows, FROM_KEY);

	return from ? take_both(&from->lock, &between) : 0;
}

SEC("tc")
int order_from_between(struct __sk_buff *ctx)
{
	struct elem *to = elem_of(&flows, TO_KEY);

	return to ? take_both(&between, &to->lock) : 0;
}

#endif
