// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. A timer takes the lock beside it, the program that of another element. */
#include "timed.bpf.h"

static int timer_fire(void *map, int *key, struct timed *timed)
{
	if (take_inlined(&timed->lock))
		failures++;
	return 0;
}

SEC("syscall")
int arm(void *ctx)
{
	struct timed *timed = elem_of(&timers, 3), *other = elem_of(&timers, 4);

	if (!timed || !other || start_timer(timed, timer_fire))
		return 0;
	return take_inlined(&other->lock);
}
