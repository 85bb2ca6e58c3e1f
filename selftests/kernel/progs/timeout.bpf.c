// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An owner that keeps its lock beyond the waiters' limit, or just within it. */
#include "test_kfuncs.h"

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");

__u32 holding, wanting, release;
/* The owner releases as soon as this many waiters are about to wait. */
__u32 release_at = ~0U;
/* Duration of one loop: some kernels bound a loop by time, others by a count. */
__u64 loop_ns;
/* The number of loops for which the owner waits. */
int loops = 1;
/* Read by programs that hold a lock and so cannot read a clock. */
__u64 clock_ns;
/* Duration of a turn on the first CPU, and its increase on each next CPU. */
__u64 turn_ns, step_ns;
/* When the lock was released last; the longest time between two releases. */
__u64 moved_at, longest_ns;

static __noinline bool hold_on(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release || *(volatile __u32 *)&wanting >= release_at)
			return false;
	}
	return true;
}

SEC("syscall")
int measure(void *ctx)
{
	__u64 begin = bpf_ktime_get_ns();

	hold_on();
	loop_ns = bpf_ktime_get_ns() - begin;
	return 0;
}

/* 0: told to release; 2: not told to in all its loops. No clock can be read under the lock.
 */
SEC("syscall")
int hold(void *ctx)
{
	int i, err = bpf_res_spin_lock(&lock_a);

	if (err)
		return err;
	holding = 1;
	for (i = 0; may_loop && i < loops; i++) {
		if (!hold_on()) {
			bpf_res_spin_unlock(&lock_a);
			return 0;
		}
	}
	bpf_res_spin_unlock(&lock_a);
	return 2;
}

SEC("syscall")
int want(void *ctx)
{
	int err;

	__sync_fetch_and_add(&wanting, 1);
	err = bpf_res_spin_lock(&lock_a);
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	return err;
}

SEC("syscall")
int want_irqsave(void *ctx)
{
	unsigned long flags;
	int err;

	__sync_fetch_and_add(&wanting, 1);
	err = bpf_res_spin_lock_irqsave(&lock_a, &flags);
	if (!err)
		bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return err;
}

/* Interrupts stay on while a lock is held, so each CPU's tick comes. */
SEC("?tp_btf/hrtimer_expire_entry")
int set_clock(void *ctx)
{
	clock_ns = bpf_ktime_get_ns();
	return 0;
}

static __noinline bool stay_until(__u64 end)
{
	while (may_loop) {
		if (*(volatile __u64 *)&clock_ns >= end)
			return false;
	}
	return true;
}

SEC("syscall")
int stand_in_line(void *ctx)
{
	__u64 now, before, turn = turn_ns + step_ns * bpf_get_smp_processor_id();
	int i, err = bpf_res_spin_lock(&lock_a);

	if (err)
		return err;
	now = clock_ns;
	for (i = 0; may_loop && i < loops; i++) {
		if (!stay_until(now + turn))
			break;
	}
	bpf_res_spin_unlock(&lock_a);
	now = bpf_ktime_get_ns();
	before = __sync_lock_test_and_set(&moved_at, now);
	if (before && now > before && now - before > longest_ns)
		longest_ns = now - before;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
