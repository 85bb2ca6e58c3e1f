// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. The low halves of two keys may be equal. */
#include "orders.bpf.h"

SEC("syscall")
int by_low_half(struct pair *p)
{
	__u64 a = p->a, b = p->b;

	return a == b || (__u32)a > (__u32)b ? 0 : take_keys(wide, a, b);
}
