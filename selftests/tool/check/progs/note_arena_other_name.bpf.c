// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. Locks in an arena, taken by a function whose name only hints at it. */
#include "arena.bpf.h"

static __attribute__((noinline)) int arena_lock_it(struct arena_lock __arena *lock)
{
	return arena_try(lock);
}

SEC("syscall")
int hinted(void *ctx)
{
	int err;

	use_arena();
	err = arena_lock_it(&first);
	if (!err)
		first.word = 0;
	return err;
}
