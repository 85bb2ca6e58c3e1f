// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. A task with a lock in its arena, which good_arena_packet does not have. */
#include "arena_visit.bpf.h"

SEC("syscall")
int task(void *ctx)
{
	use_arena();
	return arena_visit(chosen);
}
