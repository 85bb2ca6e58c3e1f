// error: expected 'while' in do/while loop
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_rank.bpf.h>

RES_LOCK_RANK(tree, 1);
RES_LOCK_RANK(leaf, 2);

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	res_guard_ranked(leaf, &s->lock) {
		s->count++;
	}
	return 0;
}
