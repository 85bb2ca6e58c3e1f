// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: undecided. Two keys may have one hash. */
#include "orders.bpf.h"

#define HASH_OF(key) ((key) * 0x9e37U % 61)

SEC("tc")
int by_hash(struct __sk_buff *ctx)
{
	__u32 a = ctx->mark, b = ctx->len;

	return a == b || HASH_OF(a) > HASH_OF(b) ? 0 : take_keys(flows, a, b);
}
