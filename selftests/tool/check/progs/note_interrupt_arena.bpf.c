// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. A packet may take the lock in the arena that a task holds: any of them. */
#include "arena_visit.bpf.h"

SEC("syscall")
int task(void *ctx)
{
	use_arena();
	return arena_visit(&first);
}

SEC("xdp")
int packet(struct xdp_md *ctx)
{
	use_arena();
	return arena_visit(chosen) ? XDP_DROP : XDP_PASS;
}
