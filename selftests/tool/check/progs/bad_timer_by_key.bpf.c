// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: interrupt. A timer looks its element up again, by the key that it is given. */
#include "timed.bpf.h"

static int timer_fire(void *map, int *key, struct timed *timed)
{
	struct timed *again = bpf_map_lookup_elem(&timers, key);

	if (again && take_inlined(&again->lock))
		failures++;
	return 0;
}

SEC("syscall")
int arm(void *ctx)
{
	struct timed *timed = elem_of(&timers, 3);

	if (!timed || start_timer(timed, timer_fire))
		return 0;
	return take_inlined(&timed->lock);
}
