// error: taking_rank_unheard
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_rank.bpf.h>

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	res_guard_ranked(unheard, &s->lock)
		s->count++;
	res_guard_failed(err)
		return err;
	return 0;
}
