// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every way out of a guard releases its lock, and the guarded block runs exactly when it is held.
 */
#include "test.bpf.h"
#include <rqspin/res_guard.bpf.h>

#define EXITS(name, guard)                                    \
	static __noinline int name##_leaving(__u32 how)       \
	{                                                     \
		struct slot *s = slot_of(0);                  \
		int after = 0;                                \
                                                              \
		if (!s)                                       \
			return -1;                            \
		guard(&s->lock)                               \
		{                                             \
			s->count++;                           \
			if (how == 1)                         \
				return 1;                     \
			if (how == 2)                         \
				break;                        \
			if (how == 3)                         \
				goto out;                     \
			if (how == 4)                         \
				continue;                     \
			after = 10;                           \
		}                                             \
		res_guard_failed(err) {                       \
			return err;                           \
		}                                             \
		return after + 5;                             \
out:                                                          \
		return 3;                                     \
	}                                                     \
                                                              \
	SEC("tc") int name##_exits(struct __sk_buff *skb)     \
	{                                                     \
		struct slot *s = slot_of(0);                  \
		__u32 before;                                 \
                                                              \
		CHECK(s);                                     \
		before = s->count;                            \
		CHECK(name##_leaving(1) == 1 && is_free(0));  \
		CHECK(name##_leaving(2) == 5 && is_free(0));  \
		CHECK(name##_leaving(3) == 3 && is_free(0));  \
		CHECK(name##_leaving(4) == 5 && is_free(0));  \
		CHECK(name##_leaving(0) == 15 && is_free(0)); \
		CHECK(s->count == before + 5);                \
		return 0;                                     \
	}

EXITS(plain, res_guard)
EXITS(irq, res_guard_irqsave)

#define NESTS(name, guard)                                      \
	SEC("tc") int name##_nests(struct __sk_buff *skb)       \
	{                                                       \
		struct slot *a = slot_of(0), *b = slot_of(1);   \
		int inside = 0;                                 \
                                                                \
		CHECK(a &&b);                                   \
		guard(&a->lock)                                 \
		{                                               \
			a->count = 7;                           \
			guard(&b->lock)                         \
			{                                       \
				inside = a->count;              \
			}                                       \
			res_guard_failed(err) {                 \
				return __LINE__;                \
			}                                       \
			inside++;                               \
		}                                               \
		res_guard_failed(err) {                         \
			return __LINE__;                        \
		}                                               \
		guard(&b->lock) inside++;                       \
		res_guard_failed(err)                           \
			return __LINE__;                        \
		CHECK(inside == 9 && is_free(0) && is_free(1)); \
		return 0;                                       \
	}

NESTS(plain, res_guard)
NESTS(irq, res_guard_irqsave)

/* The inner guard fails by AA: its block does not run, the error is right, the outer lock stays. */
#define FAILS(name, guard)                                        \
	SEC("tc") int name##_fails(struct __sk_buff *skb)         \
	{                                                         \
		struct slot *a = slot_of(2), *again = slot_of(2); \
		int told = 0, ran = 0, outer = 0;                 \
                                                                  \
		CHECK(a &&again);                                 \
		guard(&a->lock)                                   \
		{                                                 \
			guard(&again->lock)                       \
			{                                         \
				ran = 1;                          \
			}                                         \
			res_guard_failed(err) {                   \
				told = err;                       \
			}                                         \
			outer = 1;                                \
		}                                                 \
		res_guard_failed(err) {                           \
			return __LINE__;                          \
		}                                                 \
		CHECK(!ran && outer && told == -RQSPIN_EDEADLK);  \
		CHECK(is_free(2));                                \
		return 0;                                         \
	}

FAILS(plain, res_guard)
FAILS(irq, res_guard_irqsave)

#define HERE(name, here)                                      \
	static __noinline int name##_rest_of_block(__u32 how) \
	{                                                     \
		struct slot *s = slot_of(0), *t = slot_of(1); \
		int sum = 0;                                  \
                                                              \
		if (!s || !t)                                 \
			return -1;                            \
		for (int i = 0; i < 4; i++) {                 \
			here(&s->lock, err, break);           \
			here(&t->lock, err, return err);      \
			if (how == 1 && i == 1)               \
				continue;                     \
			if (how == 2 && i == 2)               \
				break;                        \
			if (how == 3 && i == 3)               \
				return 100;                   \
			if (how == 4 && i == 1)               \
				goto out;                     \
			sum++;                                \
		}                                             \
		return sum;                                   \
out:                                                          \
		return 200;                                   \
	}                                                     \
                                                              \
	SEC("tc") int name##_block(struct __sk_buff *skb)     \
	{                                                     \
		CHECK(name##_rest_of_block(0) == 4);          \
		CHECK(name##_rest_of_block(1) == 3);          \
		CHECK(name##_rest_of_block(2) == 2);          \
		CHECK(name##_rest_of_block(3) == 100);        \
		CHECK(name##_rest_of_block(4) == 200);        \
		CHECK(is_free(0) && is_free(1));              \
		return 0;                                     \
	}

HERE(plain, res_guard_here)
HERE(irq, res_guard_here_irqsave)

SEC("tc") int here_fails(struct __sk_buff *skb)
{
	struct slot *a = slot_of(2), *again = slot_of(2);
	int told = 0;

	CHECK(a && again);
	{
		res_guard_here(&a->lock, err, return __LINE__);
		res_guard_here(&again->lock, err, {
			told = err;
			goto out;
		});
		return __LINE__;
	}
out:
	CHECK(told == -RQSPIN_EDEADLK && is_free(2));
	return 0;
}
