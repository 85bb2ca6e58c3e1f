// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. -1 is below 1 in one program, above in the other. */
#include "orders.bpf.h"

SEC("syscall")
int with_sign(struct pair *p)
{
	__s64 a = p->a, b = p->b;

	return a < b ? take_keys(wide, a, b) : 0;
}

SEC("syscall")
int without_sign(struct pair *p)
{
	__u64 a = p->a, b = p->b;

	return a < b ? take_keys(wide, a, b) : 0;
}
