// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. Blocks in an arena, by a function whose name only ends like that of a lock. */
#include "arena.bpf.h"

static __attribute__((noinline, used)) int arena_alloc_block(struct arena_lock __arena *pool)
{
	return arena_try(pool);
}

SEC("syscall")
int two_blocks(void *ctx)
{
	use_arena();
	if (arena_alloc_block(&first))
		failures++;
	if (arena_alloc_block(&first))
		failures++;
	return 0;
}
