/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One lock in two contexts: the other one is that of packets. */
#ifndef NESTED_BPF_H
#define NESTED_BPF_H

#include "check.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	return take_inlined(&table) ? XDP_DROP : XDP_PASS;
}

#endif
