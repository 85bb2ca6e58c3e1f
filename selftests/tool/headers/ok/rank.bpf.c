// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Inward rising ranks compile, guards side by side may have any order, and all guards lock. */
#include "test.bpf.h"
#include <rqspin/res_lock_rank.bpf.h>

RES_LOCK_RANK(tree, 10);
RES_LOCK_RANK(node, 20);
RES_LOCK_RANK(leaf, 30);

#define RANKS(name, guard)                                     \
	SEC("tc") int name##_ranks(struct __sk_buff *skb)      \
	{                                                      \
		struct slot *a = slot_of(0), *b = slot_of(1);  \
		struct slot *c = slot_of(2);                   \
		__u32 depth = 0;                               \
                                                               \
		CHECK(a &&b &&c);                              \
		guard(tree, &a->lock)                          \
		{                                              \
			depth++;                               \
			guard(node, &b->lock)                  \
			{                                      \
				depth++;                       \
				guard(leaf, &c->lock)          \
				{                              \
					depth++;               \
				}                              \
				res_guard_failed(err) {        \
					return __LINE__;       \
				}                              \
			}                                      \
			res_guard_failed(err) {                \
				return __LINE__;               \
			}                                      \
			guard(leaf, &c->lock) depth++;         \
			res_guard_failed(err)                  \
				return __LINE__;               \
			guard(node, &c->lock) depth++;         \
			res_guard_failed(err)                  \
				return __LINE__;               \
		}                                              \
		res_guard_failed(err) {                        \
			return __LINE__;                       \
		}                                              \
		guard(tree, &c->lock) depth++;                 \
		res_guard_failed(err)                          \
			return __LINE__;                       \
		CHECK(depth == 6);                             \
		CHECK(is_free(0) && is_free(1) && is_free(2)); \
		return 0;                                      \
	}

RANKS(plain, res_guard_ranked)
RANKS(irq, res_guard_ranked_irqsave)

static __always_inline int under_tree(struct slot *c)
{
	res_rank_held(tree);
	int seen = 0;

	res_guard_ranked(node, &c->lock) {
		seen = 1;
	}
	res_guard_failed(err) {
		seen = err;
	}
	return seen;
}

SEC("tc") int said_held(struct __sk_buff *skb)
{
	struct slot *a = slot_of(0), *c = slot_of(2);
	int seen = 0;

	CHECK(a && c);
	res_guard_ranked(tree, &a->lock) {
		seen = under_tree(c);
	}
	res_guard_failed(err) {
		return __LINE__;
	}
	CHECK(seen == 1);
	return 0;
}
