// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Guards of locks in an arena: every way out releases, and a failure has its own branch. */
#include "arena.bpf.h"
#include <rqspin/res_arena.bpf.h>

#ifdef __BPF_FEATURE_ADDR_SPACE_CAST

struct cell {
	struct my_lock lock;
	__u32 count;
};

struct cell __arena first SEC(".addr_space.1");
struct cell __arena second SEC(".addr_space.1");

RES_ARENA_DEFINE(struct my_lock, my_arena_take, my_arena_release);

#define is_unlocked(cell) (!*(volatile __u32 __arena *)&(cell).lock.word)

#define EXITS(name, guard)                                            \
	static __noinline int name##_leaving(__u32 how)               \
	{                                                             \
		int after = 0;                                        \
                                                                      \
		guard(&first.lock)                                    \
		{                                                     \
			first.count++;                                \
			if (how == 1)                                 \
				return 1;                             \
			if (how == 2)                                 \
				break;                                \
			if (how == 3)                                 \
				goto out;                             \
			if (how == 4)                                 \
				continue;                             \
			after = is_unlocked(first) ? 20 : 10;         \
		}                                                     \
		res_guard_failed(err) {                               \
			return err;                                   \
		}                                                     \
		return after + 5;                                     \
out:                                                                  \
		return 3;                                             \
	}                                                             \
                                                                      \
	SEC("tc") int name##_exits(struct __sk_buff *skb)             \
	{                                                             \
		__u32 before;                                         \
                                                                      \
		use_arena();                                          \
		before = first.count;                                 \
		CHECK(name##_leaving(1) == 1 && is_unlocked(first));  \
		CHECK(name##_leaving(2) == 5 && is_unlocked(first));  \
		CHECK(name##_leaving(3) == 3 && is_unlocked(first));  \
		CHECK(name##_leaving(4) == 5 && is_unlocked(first));  \
		CHECK(name##_leaving(0) == 15 && is_unlocked(first)); \
		CHECK(first.count == before + 5);                     \
		return 0;                                             \
	}

EXITS(plain, res_arena_guard)
EXITS(irq, res_arena_guard_irqsave)

/* The inner guard's lock is taken: its error is reported, the outer lock stays held. */
#define FAILS(name, guard)                                         \
	SEC("tc") int name##_fails(struct __sk_buff *skb)          \
	{                                                          \
		int told = 0, ran = 0, outer = 0;                  \
                                                                   \
		use_arena();                                       \
		second.lock.word = 1;                              \
		guard(&first.lock)                                 \
		{                                                  \
			guard(&second.lock)                        \
			{                                          \
				ran = 1;                           \
			}                                          \
			res_guard_failed(err) {                    \
				told = err;                        \
			}                                          \
			outer = !is_unlocked(first);               \
		}                                                  \
		res_guard_failed(err) {                            \
			return __LINE__;                           \
		}                                                  \
		CHECK(!ran && outer && told == -RQSPIN_ETIMEDOUT); \
		CHECK(is_unlocked(first) && !is_unlocked(second)); \
		second.lock.word = 0;                              \
		return 0;                                          \
	}

FAILS(plain, res_arena_guard)
FAILS(irq, res_arena_guard_irqsave)

#define HERE(name, here)                                             \
	static __noinline int name##_rest_of_block(__u32 how)        \
	{                                                            \
		int sum = 0;                                         \
                                                                     \
		for (int i = 0; i < 3; i++) {                        \
			here(&first.lock, err, break);               \
			here(&second.lock, err, return err);         \
			if (how == 1 && i == 1)                      \
				continue;                            \
			if (how == 2 && i == 1)                      \
				goto out;                            \
			sum++;                                       \
		}                                                    \
		return sum;                                          \
out:                                                                 \
		return 200;                                          \
	}                                                            \
                                                                     \
	SEC("tc") int name##_block(struct __sk_buff *skb)            \
	{                                                            \
		use_arena();                                         \
		CHECK(name##_rest_of_block(0) == 3);                 \
		CHECK(name##_rest_of_block(1) == 2);                 \
		CHECK(name##_rest_of_block(2) == 200);               \
		second.lock.word = 1;                                \
		CHECK(name##_rest_of_block(0) == -RQSPIN_ETIMEDOUT); \
		second.lock.word = 0;                                \
		CHECK(is_unlocked(first) && is_unlocked(second));    \
		return 0;                                            \
	}

HERE(plain, res_arena_guard_here)
HERE(irq, res_arena_guard_here_irqsave)

/* Calls a helper, which the verifier refuses while a lock of the kernel is held. */
SEC("tc") int helper_inside(struct __sk_buff *skb)
{
	__u32 cpu = ~0U;

	use_arena();
	res_arena_guard(&first.lock) {
		cpu = bpf_get_smp_processor_id();
	}
	res_guard_failed(err) {
		return __LINE__;
	}
	CHECK(cpu != ~0U && is_unlocked(first));
	return 0;
}

#endif
