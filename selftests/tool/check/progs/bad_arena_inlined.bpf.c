// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. Two locks in an arena in two orders; the first try to take one is inlined. */
#include "arena_fast_lock.h"

static __always_inline int take_both_locks(struct arena_lock __arena *a,
					   struct arena_lock __arena *b)
{
	int err = fast_lock(a);

	if (err)
		return err;
	err = fast_lock(b);
	if (!err) {
		work++;
		fast_unlock(b);
	}
	fast_unlock(a);
	return err;
}

SEC("syscall")
int fast_there(void *ctx)
{
	use_arena();
	return take_both_locks(&first, &second);
}

SEC("syscall")
int fast_back(void *ctx)
{
	use_arena();
	return take_both_locks(&second, &first);
}
