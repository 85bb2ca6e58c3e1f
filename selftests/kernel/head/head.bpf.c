// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One lock, its owner, and three waiters: one with the pending bit, the head of the queue, and
 * behind the head a program that runs while the scheduler switches tasks: head.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "head.h"

#define TURNS 4096 /* times 2^20 looks: more than any time limit */

struct bpf_res_spin_lock lock_q __hidden SEC(".data.lock_q");

__u32 holding, release;
__u32 armed;   /* the next switch of tasks on HEAD_BEHIND wants the lock */
__u32 sleeper; /* the task that the timer wakes */
__u32 woken_by;
int errors[HEAD_PARTIES];

static __noinline void wait_for_release(void)
{
	int i, j;

	bpf_for(i, 0, TURNS) {
		bpf_for(j, 0, 1 << 20) {
			if (*(volatile __u32 *)&release)
				return;
		}
	}
}

SEC("syscall")
int own(void *ctx)
{
	int err = bpf_res_spin_lock(&lock_q);

	if (err)
		return err;
	holding = 1;
	wait_for_release();
	bpf_res_spin_unlock(&lock_q);
	return 0;
}

SEC("syscall")
int want(void *ctx)
{
	int err = bpf_res_spin_lock(&lock_q);

	if (!err)
		bpf_res_spin_unlock(&lock_q);
	return err;
}

/* Runs under the lock of this CPU's run queue. */
SEC("tp_btf/sched_switch")
int behind(void *ctx)
{
	int err;

	if (bpf_get_smp_processor_id() != HEAD_BEHIND || !armed)
		return 0;
	armed = 0;
	err = bpf_res_spin_lock(&lock_q);
	if (!err)
		bpf_res_spin_unlock(&lock_q);
	errors[HEAD_BEHIND] = err ?: 1;
	return 0;
}

/* The timer's interrupt is about to take the lock of the sleeper's run queue. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task)
{
	if ((__u32)task->pid == sleeper)
		woken_by = bpf_get_smp_processor_id() + 1;
	return 0;
}

SEC("syscall")
int read_word(void *ctx)
{
	__u32 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), &lock_q);
	return word;
}

char _license[] SEC("license") = "Dual BSD/GPL";
