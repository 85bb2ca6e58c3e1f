// error: 'struct taking_rank_leaf \*' with .* of type 'struct while_holding_rank_leaf \*'
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
		res_guard_ranked(leaf, &t->lock) {
			s->count++;
		}
		res_guard_failed(err) {
			return err;
		}
	}
	res_guard_failed(err) {
		return err;
	}
	return 0;
}
