// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. The packet decides which of two functions is called back. */
#include "stack.bpf.h"

static int leave_it(__u64 i, __u32 *key)
{
	return 0;
}

static int change_it(__u64 i, __u32 *key)
{
	*key = 1;
	return 0;
}

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	int (*callback)(__u64, __u32 *) = ctx->len & 1 ? change_it : leave_it;
	__u32 key = 0;

	asm volatile("" : "+r"(callback));
	bpf_loop(1, callback, &key, 0);
	return under_table(bpf_map_lookup_elem(&users, &key));
}

OTHER_WAY(1)
