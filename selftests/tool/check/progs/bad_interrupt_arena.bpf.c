// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. Packets want the lock in an arena that a task holds, by its name. */
#include "arena_visit.bpf.h"

SEC("syscall")
int task_visit(void *ctx)
{
	use_arena();
	return arena_visit(&first);
}

SEC("xdp")
int packet_visit(struct xdp_md *ctx)
{
	use_arena();
	return arena_visit(&first) ? XDP_DROP : XDP_PASS;
}
