// error: ignoring return value of function declared with 'warn_unused_result' attribute
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	unsigned long flags;

	res_spin_lock_irqsave(&s->lock, &flags);
	res_spin_unlock_irqrestore(&s->lock, &flags);
	return 0;
}
