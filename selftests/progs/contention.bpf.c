// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Many threads take A and B in opposite orders: nothing is staged, everything counted. */
#include "test_kfuncs.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

/* Index 0: threads that take A first, 1: those that take B first. */
__u64 attempts[2], both[2], first_deadlock[2], second_deadlock[2], timeouts[2], others[2];
/* Written under both locks only, without atomics: lost updates show a broken lock. */
__u64 guarded;
/* Turns of an empty loop between the two locks: a window for the others. */
__u32 window;

static __always_inline void count(__u64 *deadlocks, __u32 side, int err)
{
	if (err == -EDEADLK)
		__sync_fetch_and_add(deadlocks, 1);
	else if (err == -ETIMEDOUT)
		__sync_fetch_and_add(&timeouts[side], 1);
	else
		__sync_fetch_and_add(&others[side], 1);
}

static __always_inline void linger(void)
{
	__u32 i;

	for (i = 0; i < window && may_loop; i++)
		asm volatile("");
}

#define SIDE(name, side, first, second)                           \
	SEC("tc")                                                 \
	int name(struct __sk_buff *ctx)                           \
	{                                                         \
		int err;                                          \
                                                                  \
		__sync_fetch_and_add(&attempts[side], 1);         \
		err = bpf_res_spin_lock(&first);                  \
		if (err) {                                        \
			count(&first_deadlock[side], side, err);  \
			return err;                               \
		}                                                 \
		linger();                                         \
		err = bpf_res_spin_lock(&second);                 \
		if (err) {                                        \
			count(&second_deadlock[side], side, err); \
			bpf_res_spin_unlock(&first);              \
			return err;                               \
		}                                                 \
		guarded++;                                        \
		bpf_res_spin_unlock(&second);                     \
		bpf_res_spin_unlock(&first);                      \
		__sync_fetch_and_add(&both[side], 1);             \
		return 0;                                         \
	}

SIDE(a_then_b, 0, lock_a, lock_b)
SIDE(b_then_a, 1, lock_b, lock_a)

char _license[] SEC("license") = "Dual BSD/GPL";
