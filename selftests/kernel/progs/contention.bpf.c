// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Many threads take A and B in opposite orders: deadlocks are not staged, results are counted. */
#include "test_kfuncs.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

/* Index 0: threads that take A first, 1: those that take B first. */
__u64 attempts[2], both[2], first_deadlock[2], second_deadlock[2], timeouts[2], others[2];
/* Written under both locks only, without atomics: lost updates show a broken lock. */
__u64 guarded;
/* Threads of each side that hold their first lock. */
__u32 halfway[2];

static __always_inline void result_count(__u64 *deadlocks, __u32 side, int err)
{
	if (err == -EDEADLK)
		__sync_fetch_and_add(deadlocks, 1);
	else if (err == -ETIMEDOUT)
		__sync_fetch_and_add(&timeouts[side], 1);
	else
		__sync_fetch_and_add(&others[side], 1);
}

/* Each call has the kernel's whole budget for a loop: a busy machine needs several calls. */
static __noinline bool other_side_comes(__u32 side)
{
	while (may_loop) {
		if (*(volatile __u32 *)&halfway[side ? 0 : 1])
			return true;
	}
	return false;
}

/* Give the other side time to take its first lock; go on without it if it does not come. */
static __always_inline void side_linger(__u32 side)
{
	if (!other_side_comes(side) && !other_side_comes(side))
		other_side_comes(side);
}

#define SIDE(name, side, first, second)                                  \
	SEC("tc")                                                        \
	int name(struct __sk_buff *ctx)                                  \
	{                                                                \
		int err;                                                 \
                                                                         \
		__sync_fetch_and_add(&attempts[side], 1);                \
		err = bpf_res_spin_lock(&first);                         \
		if (err) {                                               \
			result_count(&first_deadlock[side], side, err);  \
			return err;                                      \
		}                                                        \
		__sync_fetch_and_add(&halfway[side], 1);                 \
		side_linger(side);                                       \
		err = bpf_res_spin_lock(&second);                        \
		__sync_fetch_and_add(&halfway[side], -1);                \
		if (err) {                                               \
			result_count(&second_deadlock[side], side, err); \
			bpf_res_spin_unlock(&first);                     \
			return err;                                      \
		}                                                        \
		guarded++;                                               \
		bpf_res_spin_unlock(&second);                            \
		bpf_res_spin_unlock(&first);                             \
		__sync_fetch_and_add(&both[side], 1);                    \
		return 0;                                                \
	}

SIDE(a_then_b, 0, lock_a, lock_b)
SIDE(b_then_a, 1, lock_b, lock_a)

char _license[] SEC("license") = "Dual BSD/GPL";
