// error: cannot take the address of an rvalue
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_array.bpf.h>

RES_LOCK_BANK(few, 3);

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	if (!res_lock_bank(few, 3, 1))
		return 1;
	return 0;
}
