// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. A pointer to a key goes through two functions that are called back. */
#include "stack.bpf.h"

struct passed {
	__u32 *key;
};

static int callback_inner(__u64 i, struct passed *passed)
{
	if (passed->key)
		*passed->key = 1;
	return 0;
}

static int callback_outer(__u64 i, struct passed *passed)
{
	struct passed copy = *passed;

	bpf_loop(1, callback_inner, &copy, 0);
	return 0;
}

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct passed passed = { &key };

	bpf_loop(1, callback_outer, &passed, 0);
	return under_table(bpf_map_lookup_elem(&users, &key));
}

OTHER_WAY(1)
