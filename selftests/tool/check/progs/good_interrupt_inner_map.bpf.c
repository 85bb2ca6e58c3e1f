// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Locks in an inner map, with interrupts off. */
#include "check.bpf.h"

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct elem);
} first SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner);
} outer SEC(".maps") = { .values = { &first } };

static __always_inline int take_first(void)
{
	void *map = elem_of(&outer, 0);
	struct elem *elem = map ? elem_of(map, 0) : NULL;
	unsigned long flags;
	int err;

	if (!elem)
		return 0;
	err = bpf_res_spin_lock_irqsave(&elem->lock, &flags);
	if (err)
		return err;
	work++;
	bpf_res_spin_unlock_irqrestore(&elem->lock, &flags);
	return 0;
}

SEC("syscall")
int task(void *ctx)
{
	return take_first();
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	return take_first() ? XDP_DROP : XDP_PASS;
}
