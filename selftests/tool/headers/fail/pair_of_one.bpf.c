// error: a pair of one lock: one
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_lock_pair.bpf.h>

RES_ORDERED_LOCK(one);

SEC("tc") int program(struct __sk_buff *skb)
{
	struct slot *s = slot_of(0), *t = slot_of(1);

	if (!s || !t)
		return 0;
	struct res_pair pair;
	int err = res_pair_lock_ordered(&pair, one, one);

	if (err)
		return err;
	res_pair_unlock(&pair);
	return 0;
}
