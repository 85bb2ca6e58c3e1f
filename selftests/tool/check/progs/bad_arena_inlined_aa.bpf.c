// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: aa. A lock in an arena, taken twice; the first try to take it is inlined. */
#include "arena_fast_lock.h"

SEC("syscall")
int fast_twice(void *ctx)
{
	int err;

	use_arena();
	err = fast_lock(&first);
	if (err)
		return err;
	err = fast_lock(&first);
	if (!err)
		work++;
	fast_unlock(&first);
	return err;
}
