// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock's inline part; compiled with the hooks, as the rest of the lock is. */
#include "glue.h"

int mc_lock_acquire(int lock)
{
	return res_spin_lock(&mc_locks[lock].lock);
}

void mc_lock_release(int lock)
{
	res_spin_unlock(&mc_locks[lock].lock);
}
