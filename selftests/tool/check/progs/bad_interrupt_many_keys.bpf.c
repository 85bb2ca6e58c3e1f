// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. One place takes two locks in turn; packets want the second. */
#include "maps.bpf.h"

static __attribute__((noinline)) int take_user(int number)
{
	struct elem *elem = elem_of(&users, number);

	return elem ? take_inlined(&elem->lock) : 0;
}

SEC("syscall")
int both(void *ctx)
{
	int err = take_user(1);

	return err ? err : take_user(2);
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	struct elem *elem = elem_of(&users, 2);

	return elem && take_inlined(&elem->lock) ? XDP_DROP : XDP_PASS;
}
