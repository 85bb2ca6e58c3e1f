// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. A lock in an arena that is released by nobody. */
#include "arena.bpf.h"

static __attribute__((noinline)) int arena_spin_lock(struct arena_lock __arena *lock)
{
	return arena_try(lock);
}

SEC("syscall")
int keeper(void *ctx)
{
	use_arena();
	return arena_spin_lock(&first);
}
