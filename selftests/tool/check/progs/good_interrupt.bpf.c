// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. The task keeps interrupts off. */
#include "check.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

SEC("syscall")
int snapshot(void *ctx)
{
	unsigned long flags;
	int err = bpf_res_spin_lock_irqsave(&table, &flags);

	if (err)
		return err;
	work++;
	bpf_res_spin_unlock_irqrestore(&table, &flags);
	return 0;
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	return take_inlined(&table) ? XDP_DROP : XDP_PASS;
}
