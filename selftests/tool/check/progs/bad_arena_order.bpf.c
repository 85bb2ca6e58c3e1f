// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Two locks in an arena in two orders, by a function whose name says it. */
#include "arena.bpf.h"

static __attribute__((noinline)) int arena_spin_lock(struct arena_lock __arena *lock)
{
	return arena_try(lock);
}

SEC("syscall")
int arena_there(void *ctx)
{
	use_arena();
	if (arena_spin_lock(&first) || arena_spin_lock(&second))
		failures++;
	second.word = 0;
	first.word = 0;
	return 0;
}

SEC("syscall")
int arena_back(void *ctx)
{
	use_arena();
	if (arena_spin_lock(&second) || arena_spin_lock(&first))
		failures++;
	first.word = 0;
	second.word = 0;
	return 0;
}
