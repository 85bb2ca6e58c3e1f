// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. 71 functions that timers may call: the last takes the locks in the other order. */
#include "many.bpf.h"

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

#define ORDINARY(t, n)                                                    \
	static int later_##t##n(void *map, int *key, struct timed *timed) \
	{                                                                 \
		work += t * 10 + n;                                       \
		return 0;                                                 \
	}
#define SET(t, n) bpf_timer_set_callback(&timed->timer, later_##t##n);

TENS7(ORDINARY, 0, 1, 2, 3, 4, 5, 6)

static int last(void *map, int *key, struct timed *timed)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	if (a && b && take_both(&b->lock, &a->lock))
		failures++;
	return 0;
}

SEC("tc")
int starts(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);
	struct timed *timed = elem_of(&timers, 0);

	if (!timed)
		return 0;
	TENS7(SET, 0, 1, 2, 3, 4, 5, 6)
	bpf_timer_set_callback(&timed->timer, last);
	return a && b ? take_both(&a->lock, &b->lock) : 0;
}
