// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: aa. A lock in an arena behind one pointer out of memory, taken twice by guards. */
#include "arena.bpf.h"
#include <rqspin/res_arena.bpf.h>

static __always_inline void arena_clear(struct arena_lock __arena *lock)
{
	lock->word = 0;
}

RES_ARENA_DEFINE(struct arena_lock, arena_try, arena_clear);

struct arena_lock __arena *__arena chosen SEC(".addr_space.1");

SEC("syscall")
int own(void *ctx)
{
	struct arena_lock __arena *lock = chosen;

	use_arena();
	res_arena_guard_here(lock, err, return err);
	res_arena_guard_here(lock, err, return err);
	work++;
	return 0;
}
