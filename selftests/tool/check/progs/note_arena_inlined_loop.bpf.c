// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. Two locks in an arena; all of the function that takes them is inlined. */
#include "arena_fast_lock.h"

SEC("syscall")
int looping(void *ctx)
{
	use_arena();
	if (loop_lock(&first))
		return 0;
	if (!loop_lock(&second)) {
		work++;
		fast_unlock(&second);
	}
	fast_unlock(&first);
	return 0;
}
