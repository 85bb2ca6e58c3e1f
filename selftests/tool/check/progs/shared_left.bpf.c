// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: nothing alone; a cycle with the other one. */
#include "pinned.bpf.h"

SEC("tc")
int from_left(struct __sk_buff *ctx)
{
	return take_in_order(&check_left, &check_right);
}
