// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One lock that all threads want all the time. "tight" locks, counts and unlocks, many times in a
 * run of the program; "calls" locks once in a run, and works under the lock and beside it. The same
 * with an ordinary lock, which both compared kernels have, shows how much of a difference is due to
 * the kernels.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "convoy.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
struct bpf_spin_lock spin __hidden SEC(".data.spin");
__u64 count;	       /* changed under the lock only */
__u64 failed, longest; /* longest: ns from lock to unlock, of the timed acquisitions */

/* Times only a few: two reads of the clock cost as much as lock and unlock, and vary by kernel. */
static __always_inline bool round_is_timed(__u32 i)
{
	return i % CONVOY_TIMED == 0;
}

static __always_inline void keep_longest(__u64 begin)
{
	__u64 took = bpf_ktime_get_ns() - begin;

	if (took > longest)
		longest = took;
}

static long convoy_acquire(__u32 i, void *ctx)
{
	__u64 begin = round_is_timed(i) ? bpf_ktime_get_ns() : 0;
	int err = res_spin_lock(&lock);

	if (!err) {
		count++;
		res_spin_unlock(&lock);
	}
	if (begin)
		keep_longest(begin);
	if (err)
		__sync_fetch_and_add(&failed, 1);
	return 0;
}

SEC("tc")
int tight(struct __sk_buff *ctx)
{
	return bpf_loop(CONVOY_BATCH, convoy_acquire, NULL, 0) != CONVOY_BATCH;
}

static __always_inline void turns_spend(void)
{
	volatile __u32 turns = 0;

	for (__u32 i = 0; i < CONVOY_TURNS; i++)
		turns += i;
}

SEC("tc")
int calls(struct __sk_buff *ctx)
{
	__u64 begin = bpf_ktime_get_ns();
	int err = res_spin_lock(&lock);

	if (!err) {
		count++;
		turns_spend();
		res_spin_unlock(&lock);
	}
	keep_longest(begin);
	if (err)
		__sync_fetch_and_add(&failed, 1);
	turns_spend();
	return 0;
}

static long acquire_spin(__u32 i, void *ctx)
{
	__u64 begin = round_is_timed(i) ? bpf_ktime_get_ns() : 0;

	bpf_spin_lock(&spin);
	count++;
	bpf_spin_unlock(&spin);
	if (begin)
		keep_longest(begin);
	return 0;
}

SEC("tc")
int ordinary(struct __sk_buff *ctx)
{
	return bpf_loop(CONVOY_BATCH, acquire_spin, NULL, 0) != CONVOY_BATCH;
}

SEC("tc")
int ordinary_calls(struct __sk_buff *ctx)
{
	__u64 begin = bpf_ktime_get_ns();

	bpf_spin_lock(&spin);
	count++;
	turns_spend();
	bpf_spin_unlock(&spin);
	keep_longest(begin);
	turns_spend();
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
