// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. A function writes somewhere into an array of its caller. */
#include "stack.bpf.h"

struct keys {
	__u32 at[4];
};

static __attribute__((noinline)) int keys_fill(struct keys *keys, __u32 where)
{
	volatile __u32 *at = keys->at;

	if (where > 3)
		return 0;
	at[where] = 1;
	return 1;
}

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	struct keys keys = {};

	keys_fill(&keys, ctx->len);
	return under_table(bpf_map_lookup_elem(&users, &keys.at[0]));
}

OTHER_WAY(1)
