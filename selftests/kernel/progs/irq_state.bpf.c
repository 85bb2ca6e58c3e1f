// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Are interrupts on? The program waits for this CPU's timer interrupt: if
 * interrupts are on, one comes within a tick; if they are off, none can come.
 */
#include "test_kfuncs.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "fair_rq.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

/* Bytes from a CPU's runqueues to its __preempt_count, 0 if there is none. */
const volatile __s64 preempt_delta;

/* If the count belongs to the task, as on arm64, it is in the first member of task_struct. */
struct thread_info___counting {
	struct {
		__u32 count;
	} preempt;
} __attribute__((preserve_access_index));

__u32 target_tid;
/* Timer interrupts that came while target_tid was running. */
__u64 interrupts;
int failed_with, preempt_before, preempt_after;
/* Could the count be read? */
bool preempt_known;

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(in_interrupt, struct hrtimer *timer, ktime_t *now)
{
	if ((__u32)bpf_get_current_pid_tgid() == target_tid)
		interrupts++;
	return 0;
}

static __always_inline int own_preempt_count(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_info___counting *info = (void *)task;
	__u32 count = 0;
	__u64 rq;

	if (bpf_core_field_exists(info->preempt.count)) {
		preempt_known = true;
		return info->preempt.count;
	}
	/* A kernel without group scheduling has no pointer to the run queue. */
	rq = fair_rq(task);
	if (!preempt_delta || !rq)
		return 0;
	preempt_known = !bpf_probe_read_kernel(&count, sizeof(count), (void *)(rq + preempt_delta));
	/* The top bit is the inverted "reschedule" flag. */
	return count & 0x7fffffff;
}

/* Does a timer interrupt come within the kernel's budget for a loop? */
static __always_inline bool interrupt_comes(void)
{
	__u64 before = *(volatile __u64 *)&interrupts;

	while (may_loop) {
		if (*(volatile __u64 *)&interrupts != before)
			return true;
	}
	return false;
}

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

SEC("?tc")
int on_outside(struct __sk_buff *ctx)
{
	return interrupt_comes();
}

SEC("?tc")
int off_inside_local_save(struct __sk_buff *ctx)
{
	unsigned long flags;
	bool came;

	bpf_local_irq_save(&flags);
	came = interrupt_comes();
	bpf_local_irq_restore(&flags);
	return came;
}

SEC("?tc")
int off_inside_irqsave(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);
	unsigned long flags;
	bool came;

	if (!a || bpf_res_spin_lock_irqsave(&a->lock, &flags))
		return -1;
	came = interrupt_comes();
	bpf_res_spin_unlock_irqrestore(&a->lock, &flags);
	return came;
}

SEC("?tc")
int on_inside_plain_lock(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);
	bool came;

	if (!a || bpf_res_spin_lock(&a->lock))
		return -1;
	came = interrupt_comes();
	bpf_res_spin_unlock(&a->lock);
	return came;
}

/* A failed irqsave under a plain lock puts interrupts back on at once. */
SEC("?tc")
int on_after_failed_irqsave(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	unsigned long flags;
	bool came;

	preempt_before = own_preempt_count();
	if (!a || !again || bpf_res_spin_lock(&a->lock))
		return -1;
	failed_with = bpf_res_spin_lock_irqsave(&again->lock, &flags);
	if (!failed_with)
		bpf_res_spin_unlock_irqrestore(&again->lock, &flags);
	came = interrupt_comes();
	bpf_res_spin_unlock(&a->lock);
	preempt_after = own_preempt_count();
	return came;
}

/* A failed irqsave inside an irqsave leaves interrupts off: they were off before. */
SEC("?tc")
int off_after_nested_failure(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	unsigned long flags, inner;
	bool came;

	preempt_before = own_preempt_count();
	if (!a || !again || bpf_res_spin_lock_irqsave(&a->lock, &flags))
		return -1;
	failed_with = bpf_res_spin_lock_irqsave(&again->lock, &inner);
	if (!failed_with)
		bpf_res_spin_unlock_irqrestore(&again->lock, &inner);
	came = interrupt_comes();
	bpf_res_spin_unlock_irqrestore(&a->lock, &flags);
	preempt_after = own_preempt_count();
	return came;
}

SEC("?tc")
int on_after_nested_failure_and_release(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	unsigned long flags, inner;

	preempt_before = own_preempt_count();
	if (!a || !again || bpf_res_spin_lock_irqsave(&a->lock, &flags))
		return -1;
	failed_with = bpf_res_spin_lock_irqsave(&again->lock, &inner);
	if (!failed_with)
		bpf_res_spin_unlock_irqrestore(&again->lock, &inner);
	bpf_res_spin_unlock_irqrestore(&a->lock, &flags);
	preempt_after = own_preempt_count();
	return interrupt_comes();
}

char _license[] SEC("license") = "Dual BSD/GPL";
