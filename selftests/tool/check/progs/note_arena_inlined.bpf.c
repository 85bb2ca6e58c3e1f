// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. A lock in an arena is taken twice, inlined. */
#include "arena.bpf.h"

SEC("syscall")
int twice(void *ctx)
{
	use_arena();
	if (arena_try(&first) || arena_try(&first))
		failures++;
	first.word = 0;
	return 0;
}
