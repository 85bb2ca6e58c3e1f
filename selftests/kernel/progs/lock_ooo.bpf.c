// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Locks released in another order than the reverse one. */
#include "release_ooo.h"
#include "plain_values.h"

#define NOT_HELD "bpf_res_spin_unlock_ooo of different lock"

extern void bpf_rcu_read_lock(void) __weak __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __weak __ksym;
extern void bpf_task_release(struct task_struct *p) __weak __ksym;

SEC("?tc")
__needs(OOO)
__returns(0)
int first_of_two(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

/* The locks that remain keep the order in which they were taken. */
SEC("?tc")
__needs(OOO)
__returns(0)
int middle_of_three(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);

	if (!a || !b || !take_three(&a->lock, &lock_a, &b->lock))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock(&b->lock);
	bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock cannot be out of order")
int strict_out_of_order_after_it(struct __sk_buff *ctx)
{
	if (!take_three(&lock_a, &lock_b, &lock_c))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_c);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int first_in_first_out(struct __sk_buff *ctx)
{
	if (!take_three(&lock_a, &lock_b, &lock_c))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock_ooo(&lock_c);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int last_one(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock_ooo(&lock_a);
	return 0;
}

/* A lock that is taken again is the last one, though it was the first before. */
SEC("?tc")
__needs(OOO)
__returns(0)
int taken_again(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_a);
	if (bpf_res_spin_lock(&lock_a)) {
		bpf_res_spin_unlock(&lock_b);
		return -1;
	}
	bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("Acquiring the same lock again, AA deadlock detected")
int other_taken_again(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_a);
	if (!bpf_res_spin_lock(&lock_b))
		bpf_res_spin_unlock(&lock_b);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

static __noinline void release_a(void)
{
	bpf_res_spin_unlock_ooo(&lock_a);
}

SEC("?tc")
__needs(OOO)
__returns(0)
int by_static_function(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return -1;
	release_a();
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock_ooo without taking a lock")
int nothing_held(struct __sk_buff *ctx)
{
	bpf_res_spin_unlock_ooo(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused(NOT_HELD)
int not_held(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_c);
	bpf_res_spin_unlock(&lock_b);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused(NOT_HELD)
int released_twice(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused(NOT_HELD)
int through_other_look_up(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);

	if (!a || !again || !take_two(&a->lock, &lock_a))
		return 0;
	bpf_res_spin_unlock_ooo(&again->lock);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("doesn't point to map value or allocated object")
int not_a_lock(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	bpf_res_spin_unlock_ooo((struct bpf_res_spin_lock *)ctx);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("BPF_EXIT instruction in main prog cannot be used inside bpf_spin_lock-ed region")
int other_kept(struct __sk_buff *ctx)
{
	if (take_two(&lock_a, &lock_b))
		bpf_res_spin_unlock_ooo(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused(NO_CALLS)
int call_under_the_other(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_rcu_read_lock();
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

/* Two paths meet, each with one lock held, but not with the same lock. */
SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock of different lock")
int either(struct __sk_buff *ctx)
{
	if (!take_two(&lock_a, &lock_b))
		return 0;
	if (ctx->len & 1)
		bpf_res_spin_unlock_ooo(&lock_b);
	else
		bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock of different lock")
int either_value(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);

	if (!a || !b || !take_two(&a->lock, &b->lock))
		return 0;
	if (ctx->len & 1)
		bpf_res_spin_unlock_ooo(&b->lock);
	else
		bpf_res_spin_unlock_ooo(&a->lock);
	bpf_res_spin_unlock(&b->lock);
	return 0;
}

/* The same locks on both paths, but in another order. */
static __always_inline bool take_either_order(struct __sk_buff *ctx)
{
	if (ctx->len & 1)
		return take_three(&lock_a, &lock_b, &lock_c);
	return take_three(&lock_c, &lock_b, &lock_a);
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock cannot be out of order")
int either_order(struct __sk_buff *ctx)
{
	if (!take_either_order(ctx))
		return 0;
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock(&lock_c);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int either_order_released_out_of_it(struct __sk_buff *ctx)
{
	if (!take_either_order(ctx))
		return -1;
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock_ooo(&lock_c);
	bpf_res_spin_unlock_ooo(&lock_a);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int below_irqsave(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock(&lock_a))
		return -1;
	if (bpf_res_spin_lock_irqsave(&lock_b, &flags)) {
		bpf_res_spin_unlock(&lock_a);
		return -1;
	}
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock_irqrestore(&lock_b, &flags);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock_ooo cannot restore irq flags")
int irqsave(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	if (!bpf_res_spin_lock(&lock_b)) {
		bpf_res_spin_unlock_ooo(&lock_a);
		bpf_res_spin_unlock(&lock_b);
	}
	return 0;
}

/* Flags are restored in order, even if a lock between them was released. */
SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock cannot be out of order")
int irqsave_out_of_order(struct __sk_buff *ctx)
{
	unsigned long outer, inner;

	if (bpf_res_spin_lock_irqsave(&lock_a, &outer))
		return 0;
	if (bpf_res_spin_lock(&lock_b))
		goto restore_outer;
	if (bpf_res_spin_lock_irqsave(&lock_c, &inner)) {
		bpf_res_spin_unlock(&lock_b);
		goto restore_outer;
	}
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock_irqrestore(&lock_a, &outer);
	bpf_res_spin_unlock_irqrestore(&lock_c, &inner);
	return 0;
restore_outer:
	bpf_res_spin_unlock_irqrestore(&lock_a, &outer);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int between_irqsaves(struct __sk_buff *ctx)
{
	unsigned long outer, inner;

	if (bpf_res_spin_lock_irqsave(&lock_a, &outer))
		return -1;
	if (bpf_res_spin_lock(&lock_b))
		goto restore_outer;
	if (bpf_res_spin_lock_irqsave(&lock_c, &inner)) {
		bpf_res_spin_unlock(&lock_b);
		goto restore_outer;
	}
	bpf_res_spin_unlock_ooo(&lock_b);
	bpf_res_spin_unlock_irqrestore(&lock_c, &inner);
	bpf_res_spin_unlock_irqrestore(&lock_a, &outer);
	return 0;
restore_outer:
	bpf_res_spin_unlock_irqrestore(&lock_a, &outer);
	return -1;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int with_interrupts_off(struct __sk_buff *ctx)
{
	unsigned long flags;
	bool taken;

	bpf_local_irq_save(&flags);
	taken = take_two(&lock_a, &lock_b);
	if (taken) {
		bpf_res_spin_unlock_ooo(&lock_a);
		bpf_res_spin_unlock(&lock_b);
	}
	bpf_local_irq_restore(&flags);
	return taken ? 0 : -1;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_lock is not allowed while holding a bpf_spin_lock")
int under_spin_lock(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	if (take_two(&lock_a, &lock_b)) {
		bpf_res_spin_unlock_ooo(&lock_a);
		bpf_res_spin_unlock(&lock_b);
	}
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock_ooo is not allowed while holding a bpf_spin_lock")
int spin_lock_held(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	bpf_res_spin_unlock_ooo((struct bpf_res_spin_lock *)&v->lock);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("has no valid bpf_res_spin_lock")
int spin_lock(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v || bpf_res_spin_lock(&lock_a))
		return 0;
	bpf_res_spin_unlock_ooo((struct bpf_res_spin_lock *)&v->lock);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

/* A sleepable program is no RCU section: the section of the locks ends with the last one. */
SEC("?syscall")
__needs(OOO)
__refused("R1 must be a rcu pointer")
int rcu_pointer_after_the_last(void *ctx)
{
	struct task_struct *parent, *task = bpf_get_current_task_btf();

	if (!take_two(&lock_a, &lock_b))
		return 0;
	parent = task->real_parent;
	bpf_res_spin_unlock_ooo(&lock_a);
	bpf_res_spin_unlock_ooo(&lock_b);
	parent = bpf_task_acquire(parent);
	if (parent)
		bpf_task_release(parent);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
