// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf_local_irq_save() and _restore(): a flag on the stack, last in first out. */
#include "locks.h"

#define LEAK "cannot be used inside bpf_local_irq_save-ed region"
/* The second message is that of 7.x. */
#define GLOBAL_SLEEPS                                                               \
	"global functions that may sleep are not allowed in non-sleepable context|" \
	"sleepable global function [^ ]+ called in IRQ-disabled region"
#define SLEEPS                                           \
	"sleepable helper [^ ]+ in IRQ-disabled region|" \
	"kernel func [^ ]+ is sleepable within IRQ-disabled region"

extern struct task_struct *bpf_task_from_pid(s32 pid) __weak __ksym;
extern void bpf_task_release(struct task_struct *p) __weak __ksym;
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;
extern int bpf_copy_from_user_str(void *dst, __u32 size, const void *user,
				  __u64 flags) __weak __ksym;

SEC("?tc")
__refused("doesn't point to an irq flag on stack")
int save_to_context(struct __sk_buff *ctx)
{
	bpf_local_irq_save((unsigned long *)ctx);
	return 0;
}

SEC("?tc")
__refused("doesn't point to an irq flag on stack")
int restore_from_context(struct __sk_buff *ctx)
{
	bpf_local_irq_restore((unsigned long *)ctx);
	return 0;
}

SEC("?tc")
__refused("doesn't point to an irq flag on stack")
int save_to_map(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a)
		bpf_local_irq_save((unsigned long *)a);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int restore_without_save(struct __sk_buff *ctx)
{
	unsigned long flags = 0;

	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__refused("expected uninitialized")
int save_twice(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_save(&flags);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int restore_twice(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__refused(LEAK)
int leak_one(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	return 0;
}

SEC("?tc")
__refused(LEAK)
int leak_one_of_three(struct __sk_buff *ctx)
{
	unsigned long f1, f2, f3;

	bpf_local_irq_save(&f1);
	bpf_local_irq_save(&f2);
	bpf_local_irq_save(&f3);
	bpf_local_irq_restore(&f3);
	bpf_local_irq_restore(&f2);
	return 0;
}

SEC("?tc")
__refused(LEAK)
int leak_on_one_branch(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	if (ctx->len > 100)
		return 1;
	bpf_local_irq_restore(&flags);
	return 0;
}

static __noinline void save_flags(unsigned long *flags)
{
	bpf_local_irq_save(flags);
}

static __noinline void restore_flags(unsigned long *flags)
{
	bpf_local_irq_restore(flags);
}

SEC("?tc")
__refused(LEAK)
int leak_from_subprogram(struct __sk_buff *ctx)
{
	unsigned long flags;

	save_flags(&flags);
	return 0;
}

static __noinline int saves_in_own_frame(int x)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	return x;
}

/* The flag is lost with the frame, interrupts stay off: refused at the latest at exit. */
SEC("?tc")
__refused(LEAK)
int leak_in_frame_of_subprogram(struct __sk_buff *ctx)
{
	return saves_in_own_frame(ctx->len) & 1;
}

/* Programs may not read the content of the flag. */
SEC("?tc")
__refused("invalid read from stack")
int flag_read(struct __sk_buff *ctx)
{
	unsigned long flags;
	int seen;

	bpf_local_irq_save(&flags);
	seen = *(volatile unsigned long *)&flags != 0;
	bpf_local_irq_restore(&flags);
	return seen;
}

SEC("?tc")
__refused("cannot restore irq state out of order")
int out_of_order(struct __sk_buff *ctx)
{
	unsigned long f1, f2;

	bpf_local_irq_save(&f1);
	bpf_local_irq_save(&f2);
	bpf_local_irq_restore(&f1);
	bpf_local_irq_restore(&f2);
	return 0;
}

SEC("?tc")
__refused("cannot restore irq state out of order")
int out_of_order_middle_of_three(struct __sk_buff *ctx)
{
	unsigned long f1, f2, f3;

	bpf_local_irq_save(&f1);
	bpf_local_irq_save(&f2);
	bpf_local_irq_save(&f3);
	bpf_local_irq_restore(&f2);
	bpf_local_irq_restore(&f3);
	bpf_local_irq_restore(&f1);
	return 0;
}

SEC("?tc")
__refused("cannot restore irq state out of order")
int out_of_order_in_subprogram(struct __sk_buff *ctx)
{
	unsigned long f1, f2;

	save_flags(&f1);
	save_flags(&f2);
	restore_flags(&f1);
	restore_flags(&f2);
	return 0;
}

/* Another reference released in between must not disturb the order of the flags. */
SEC("?syscall")
__refused("cannot restore irq state out of order")
int out_of_order_among_references(void *ctx)
{
	struct task_struct *t1, *t2;
	unsigned long f1, f2, f3;

	t1 = bpf_task_from_pid(1);
	if (!t1)
		return 0;
	bpf_local_irq_save(&f1);
	t2 = bpf_task_from_pid(1);
	bpf_local_irq_save(&f2);
	bpf_local_irq_save(&f3);
	bpf_task_release(t1);
	if (t2)
		bpf_task_release(t2);
	bpf_local_irq_restore(&f2);
	bpf_local_irq_restore(&f3);
	bpf_local_irq_restore(&f1);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int overwritten(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	*(volatile unsigned long *)&flags = 0xdead;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int overwritten_in_part(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	((volatile char *)&flags)[1] = 1;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int restore_at_wrong_offset(struct __sk_buff *ctx)
{
	unsigned long flags[2];

	bpf_local_irq_save(&flags[0]);
	bpf_local_irq_restore(&flags[1]);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int restore_an_iterator(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, 1);
	bpf_local_irq_restore((unsigned long *)&it);
	bpf_iter_num_destroy(&it);
	return 0;
}

/* 6.18 notices the loss only when the iterator is destroyed. */
SEC("?tc")
__refused_re("expected uninitialized|expected an initialized iter_num")
int save_over_an_iterator(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;

	bpf_iter_num_new(&it, 0, 1);
	bpf_local_irq_save((unsigned long *)&it);
	bpf_iter_num_destroy(&it);
	return 0;
}

SEC("?syscall")
__refused_re(SLEEPS)
int sleepable_helper(void *ctx)
{
	unsigned long flags;
	char byte;

	bpf_local_irq_save(&flags);
	bpf_copy_from_user(&byte, sizeof(byte), NULL);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?syscall")
__needs("bpf_copy_from_user_str")
__refused_re(SLEEPS)
int sleepable_kfunc(void *ctx)
{
	unsigned long flags;
	char text[8];

	bpf_local_irq_save(&flags);
	bpf_copy_from_user_str(text, sizeof(text), NULL, 0);
	bpf_local_irq_restore(&flags);
	return 0;
}

__noinline int global_that_sleeps(int x)
{
	char byte;

	return bpf_copy_from_user(&byte, sizeof(byte), (void *)(long)x);
}

SEC("?syscall")
__refused_re(GLOBAL_SLEEPS)
int sleepable_global_function(void *ctx)
{
	unsigned long flags;
	int err;

	bpf_local_irq_save(&flags);
	err = global_that_sleeps(1);
	bpf_local_irq_restore(&flags);
	return err;
}

SEC("?tc")
__returns(0)
int balanced(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__returns(0)
int balanced_three(struct __sk_buff *ctx)
{
	unsigned long f1, f2, f3;

	bpf_local_irq_save(&f1);
	bpf_local_irq_save(&f2);
	bpf_local_irq_save(&f3);
	bpf_local_irq_restore(&f3);
	bpf_local_irq_restore(&f2);
	bpf_local_irq_restore(&f1);
	return 0;
}

SEC("?tc")
__returns(0)
int balanced_by_subprograms(struct __sk_buff *ctx)
{
	unsigned long flags;

	save_flags(&flags);
	restore_flags(&flags);
	return 0;
}

SEC("?tc")
__returns(0)
int slot_used_again(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return 0;
}

__noinline int global_that_balances(int x)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return x;
}

SEC("?tc")
__returns(3)
int global_function_balances(struct __sk_buff *ctx)
{
	return global_that_balances(3);
}

__noinline int global_that_adds(int x)
{
	return x + 1;
}

__noinline int global_that_calls_a_sleeper(int x)
{
	return global_that_sleeps(x) + 1;
}

SEC("?syscall")
__refused_re(GLOBAL_SLEEPS)
int sleepable_global_function_indirect(void *ctx)
{
	unsigned long flags;
	int err;

	bpf_local_irq_save(&flags);
	err = global_that_calls_a_sleeper(1);
	bpf_local_irq_restore(&flags);
	return err;
}

SEC("?syscall")
__returns(5)
int ordinary_global_function(void *ctx)
{
	unsigned long flags;
	int sum;

	bpf_local_irq_save(&flags);
	sum = global_that_adds(4);
	bpf_local_irq_restore(&flags);
	return sum;
}

/* A helper that cannot sleep may be called with interrupts off. */
SEC("?tc")
__returns(1)
int ordinary_helper(struct __sk_buff *ctx)
{
	unsigned long flags;
	__u64 now;

	bpf_local_irq_save(&flags);
	now = bpf_ktime_get_ns();
	bpf_local_irq_restore(&flags);
	return now != 0;
}

SEC("?tc")
__returns(0)
int lock_inside(struct __sk_buff *ctx)
{
	unsigned long flags;
	int err;

	bpf_local_irq_save(&flags);
	err = bpf_res_spin_lock(&lock_a);
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	bpf_local_irq_restore(&flags);
	return err;
}

/* Native and lock flags share one order; the ban on calls under a lock may come first. */
SEC("?tc")
__refused_re("cannot restore irq state out of order|" NO_CALLS)
int restored_below_a_lock_flag(struct __sk_buff *ctx)
{
	unsigned long native, flags;

	bpf_local_irq_save(&native);
	if (bpf_res_spin_lock_irqsave(&lock_a, &flags)) {
		bpf_local_irq_restore(&native);
		return 0;
	}
	bpf_local_irq_restore(&native);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
