// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. A lock in an arena behind a pointer, while another one is held by a guard. */
#include "arena.bpf.h"
#include <rqspin/res_arena.bpf.h>

static __always_inline void arena_clear(struct arena_lock __arena *lock)
{
	lock->word = 0;
}

RES_ARENA_DEFINE(struct arena_lock, arena_try, arena_clear);

struct arena_lock __arena *__arena chosen SEC(".addr_space.1");

SEC("syscall")
int either(void *ctx)
{
	struct arena_lock __arena *lock = chosen;

	use_arena();
	res_arena_guard_here(&first, err, return err);
	res_arena_guard_here(lock, err, return err);
	work++;
	return 0;
}
