// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. Packets arrive while a task holds the lock, on the same CPU. */
#include "check.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

SEC("syscall")
int snapshot(void *ctx)
{
	return take_inlined(&table);
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	return take_inlined(&table) ? XDP_DROP : XDP_PASS;
}
