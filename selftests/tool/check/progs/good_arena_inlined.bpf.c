// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Two locks in an arena, inlined: one order, and one after the other. */
#include "arena_fast_lock.h"

SEC("syscall")
int in_order(void *ctx)
{
	int err;

	use_arena();
	err = fast_lock(&first);
	if (err)
		return err;
	err = fast_lock(&second);
	if (!err)
		fast_unlock(&second);
	fast_unlock(&first);
	return err;
}

SEC("syscall")
int one_by_one(void *ctx)
{
	int err;

	use_arena();
	err = fast_lock(&second);
	if (err)
		return err;
	fast_unlock(&second);
	err = fast_lock(&first);
	if (!err)
		fast_unlock(&first);
	return err;
}
