// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing. Which order it is depends on a constant, and all programs ask the same one. */
#include "maps.bpf.h"

const volatile int reverse, level = 2;

static __always_inline int in_order(struct bpf_res_spin_lock *a, struct bpf_res_spin_lock *b)
{
	return reverse ? take_both(b, a) : take_both(a, b);
}

SEC("tc")
int first(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	return a && b ? in_order(&a->lock, &b->lock) : 0;
}

SEC("tc")
int second(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);
	int err;

	if (!a || !b)
		return 0;
	err = take_inlined(&a->lock);
	return err ?: in_order(&a->lock, &b->lock);
}

SEC("tc")
int above(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 3), *b = elem_of(&users, 3);

	return a && b && level == 5 ? take_both(&a->lock, &b->lock) : 0;
}

SEC("tc")
int below(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 3), *b = elem_of(&users, 3);

	return a && b && level == 4 ? take_both(&b->lock, &a->lock) : 0;
}
