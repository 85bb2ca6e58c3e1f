// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Packets with a lock in their arena, which good_arena_task does not have. */
#include "arena_visit.bpf.h"

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	use_arena();
	return arena_visit(chosen) ? XDP_DROP : XDP_PASS;
}
