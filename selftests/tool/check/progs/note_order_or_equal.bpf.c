// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. In order, but they may be one. */
#include "orders.bpf.h"

SEC("syscall")
int or_equal(struct pair *p)
{
	__u64 a = p->a, b = p->b;

	return a > b ? 0 : take_keys(wide, a, b);
}
