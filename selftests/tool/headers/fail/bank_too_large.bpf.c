// error: too many locks in bank many
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_array.bpf.h>

RES_LOCK_BANK(many, 33);

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	return 0;
}
