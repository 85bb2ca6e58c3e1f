// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. What a task sends may be interrupted by what comes in, at the same hook. */
#include "check.bpf.h"

struct bpf_res_spin_lock table __hidden SEC(".data.table");

SEC("cgroup_skb/egress")
int sent(struct __sk_buff *ctx)
{
	return !take_inlined(&table);
}
