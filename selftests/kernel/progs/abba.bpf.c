// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Cycles of two and three CPUs. Each role takes its own lock, meets the others,
 * then wants the next role's lock: every round is a real deadlock.
 */
#include "test_kfuncs.h"

#define MAX_PARTIES 3

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");
struct bpf_res_spin_lock lock_c __hidden SEC(".data.lock_c");

/* Set by user space before each round. */
__u32 parties;
/* Number of parties that hold their first lock in this round. */
__u32 arrived;
/* Per role: results of all rounds. */
__u64 acquired[MAX_PARTIES], deadlocks[MAX_PARTIES], timeouts[MAX_PARTIES];
__u64 missed[MAX_PARTIES], others[MAX_PARTIES];

/* Each call has the kernel's whole budget for a loop, so a few calls take seconds. */
static __noinline bool wait_a_while(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&arrived >= parties)
			return true;
	}
	return false;
}

static __always_inline bool sides_meet(void)
{
	__sync_fetch_and_add(&arrived, 1);
	return wait_a_while() || wait_a_while() || wait_a_while() || wait_a_while();
}

static __always_inline void result_count(__u32 role, int err)
{
	if (!err)
		acquired[role]++;
	else if (err == -EDEADLK)
		deadlocks[role]++;
	else if (err == -ETIMEDOUT)
		timeouts[role]++;
	else
		others[role]++;
}

#define ROLE(name, nr, first, second)                 \
	SEC("syscall")                                \
	int name(void *ctx)                           \
	{                                             \
		int err = bpf_res_spin_lock(&first);  \
                                                      \
		if (err) {                            \
			others[nr]++;                 \
			return 1;                     \
		}                                     \
		if (!sides_meet()) {                  \
			missed[nr]++;                 \
			bpf_res_spin_unlock(&first);  \
			return 2;                     \
		}                                     \
		err = bpf_res_spin_lock(&second);     \
		if (!err)                             \
			bpf_res_spin_unlock(&second); \
		result_count(nr, err);                \
		bpf_res_spin_unlock(&first);          \
		return err;                           \
	}

ROLE(take_ab, 0, lock_a, lock_b)
ROLE(take_ba, 1, lock_b, lock_a)
ROLE(take_bc, 1, lock_b, lock_c)
ROLE(take_ca, 2, lock_c, lock_a)

char _license[] SEC("license") = "Dual BSD/GPL";
