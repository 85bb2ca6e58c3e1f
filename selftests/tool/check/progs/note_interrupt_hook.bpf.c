// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. Whether the hook is in a task, and can be interrupted, is not known. */
#include "nested.bpf.h"

SEC("cgroup_skb/egress")
int sent(struct __sk_buff *ctx)
{
	return !take_inlined(&table);
}
