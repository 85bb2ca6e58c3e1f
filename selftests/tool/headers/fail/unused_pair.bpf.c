// error: ignoring return value of function declared with 'warn_unused_result' attribute
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_pair.bpf.h>

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	struct res_pair pair;

	res_pair_lock(&pair, &s->lock, &t->lock);
	res_pair_unlock(&pair);
	return 0;
}
