// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. A timer takes the lock beside it; of which element, the packet decides. */
#include "timed.bpf.h"

static int timer_fire(void *map, int *key, struct timed *timed)
{
	if (take_inlined(&timed->lock))
		failures++;
	return 0;
}

SEC("syscall")
int arm(__u32 *number)
{
	struct timed *timed = elem_of(&timers, *number);

	if (!timed || start_timer(timed, timer_fire))
		return 0;
	return take_inlined(&timed->lock);
}
