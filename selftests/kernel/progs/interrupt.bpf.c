// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A timer interrupt comes while a program holds a lock, and a program in that
 * interrupt wants the same lock.
 */
#include "test_kfuncs.h"
#include <bpf/bpf_tracing.h>

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");

__u32 target_tid;
/* 1 while target_tid holds the lock on this CPU. */
__u32 held;
/* Results of the program in the interrupt, by whether the lock was held. */
__u64 while_held_edeadlk, while_held_other, while_free_ok, while_free_other;

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(in_interrupt, struct hrtimer *timer, ktime_t *now)
{
	__u32 was_held = *(volatile __u32 *)&held;
	int err;

	if ((__u32)bpf_get_current_pid_tgid() != target_tid)
		return 0;
	err = bpf_res_spin_lock(&lock_a);
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	if (was_held && err == -EDEADLK)
		while_held_edeadlk++;
	else if (was_held)
		while_held_other++;
	else if (!err)
		while_free_ok++;
	else
		while_free_other++;
	return 0;
}

static __noinline bool edeadlk_comes(void)
{
	while (may_loop) {
		if (*(volatile __u64 *)&while_held_edeadlk)
			return true;
	}
	return false;
}

static __noinline bool free_attempt_comes(void)
{
	while (may_loop) {
		if (*(volatile __u64 *)&while_free_ok)
			return true;
	}
	return false;
}

SEC("tc")
int hold_plain(struct __sk_buff *ctx)
{
	bool came;

	if (bpf_res_spin_lock(&lock_a))
		return -1;
	*(volatile __u32 *)&held = 1;
	came = edeadlk_comes();
	*(volatile __u32 *)&held = 0;
	bpf_res_spin_unlock(&lock_a);
	return came;
}

SEC("tc")
int hold_irqsave(struct __sk_buff *ctx)
{
	unsigned long flags;
	bool came;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return -1;
	*(volatile __u32 *)&held = 1;
	came = edeadlk_comes();
	*(volatile __u32 *)&held = 0;
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	/* The interrupt that was pending comes now and finds the lock free. */
	return free_attempt_comes() ? came : -2;
}

char _license[] SEC("license") = "Dual BSD/GPL";
