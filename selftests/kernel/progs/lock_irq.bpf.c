// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The irqsave pair: its flag, and calls that it may not be mixed with. */
#include "locks.h"

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int plain_lock_irq_unlock(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	if (bpf_res_spin_lock(&lock_a)) {
		bpf_local_irq_restore(&flags);
		return 0;
	}
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int irq_lock_plain_unlock(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("expected an initialized")
int unlock_with_unset_flag(struct __sk_buff *ctx)
{
	unsigned long flags, never_set;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	bpf_res_spin_unlock_irqrestore(&lock_a, &never_set);
	return 0;
}

/* A flag that is in use may not be overwritten by the next lock. */
SEC("?tc")
__refused("expected uninitialized")
int one_flag_for_two_locks(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	if (!bpf_res_spin_lock_irqsave(&lock_b, &flags))
		bpf_res_spin_unlock_irqrestore(&lock_b, &flags);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

SEC("?tc")
__refused("cannot restore irq state out of order")
int flags_swapped(struct __sk_buff *ctx)
{
	unsigned long flags_a, flags_b;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags_a))
		return 0;
	if (bpf_res_spin_lock_irqsave(&lock_b, &flags_b)) {
		bpf_res_spin_unlock_irqrestore(&lock_a, &flags_a);
		return 0;
	}
	bpf_res_spin_unlock_irqrestore(&lock_b, &flags_a);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags_b);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock cannot be out of order")
int out_of_order(struct __sk_buff *ctx)
{
	unsigned long flags_a, flags_b;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags_a))
		return 0;
	if (bpf_res_spin_lock_irqsave(&lock_b, &flags_b)) {
		bpf_res_spin_unlock_irqrestore(&lock_a, &flags_a);
		return 0;
	}
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags_a);
	bpf_res_spin_unlock_irqrestore(&lock_b, &flags_b);
	return 0;
}

SEC("?tc")
__refused("Acquiring the same lock again, AA deadlock detected")
int aa_static(struct __sk_buff *ctx)
{
	unsigned long flags, again;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	if (!bpf_res_spin_lock_irqsave(&lock_a, &again))
		bpf_res_spin_unlock_irqrestore(&lock_a, &again);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

SEC("?tc")
__refused("cannot be used inside bpf_")
int leak_at_return(struct __sk_buff *ctx)
{
	unsigned long flags;

	return bpf_res_spin_lock_irqsave(&lock_a, &flags);
}

SEC("?tc")
__refused("doesn't point to an irq flag on stack")
int flag_in_a_map(struct __sk_buff *ctx)
{
	__u32 key = 1;
	unsigned long *flags = bpf_map_lookup_elem(&values, &key);

	if (!flags)
		return 0;
	if (!bpf_res_spin_lock_irqsave(&lock_a, flags))
		bpf_res_spin_unlock_irqrestore(&lock_a, flags);
	return 0;
}

/* Each class restores its own flags; here the ban on calls under a lock may be reported first. */
SEC("?tc")
__refused_re("irq flag acquired by lock kfuncs cannot be restored with native kfuncs|" NO_CALLS)
int lock_flag_restored_natively(struct __sk_buff *ctx)
{
	unsigned long flags;

	if (bpf_res_spin_lock_irqsave(&lock_a, &flags))
		return 0;
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("?tc")
__refused("irq flag acquired by native kfuncs cannot be restored with lock kfuncs")
int native_flag_restored_by_unlock(struct __sk_buff *ctx)
{
	unsigned long native, flags;

	bpf_local_irq_save(&native);
	if (bpf_res_spin_lock_irqsave(&lock_a, &flags)) {
		bpf_local_irq_restore(&native);
		return 0;
	}
	bpf_res_spin_unlock_irqrestore(&lock_a, &native);
	bpf_local_irq_restore(&flags);
	return 0;
}

/* In the failure branch the flag is not in use: the next attempt may use the same variable. */
SEC("?tc")
__returns(0)
int flag_is_free_after_failure(struct __sk_buff *ctx)
{
	unsigned long flags;
	int err = bpf_res_spin_lock_irqsave(&lock_a, &flags);

	if (err) {
		err = bpf_res_spin_lock_irqsave(&lock_b, &flags);
		if (err)
			return err;
		bpf_res_spin_unlock_irqrestore(&lock_b, &flags);
		return 1;
	}
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return 0;
}

SEC("?tc")
__returns(0)
int nested(struct __sk_buff *ctx)
{
	unsigned long flags_a, flags_b;
	int err = bpf_res_spin_lock_irqsave(&lock_a, &flags_a);

	if (err)
		return err;
	err = bpf_res_spin_lock_irqsave(&lock_b, &flags_b);
	if (!err)
		bpf_res_spin_unlock_irqrestore(&lock_b, &flags_b);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags_a);
	return err;
}

SEC("?tc")
__returns(0)
int plain_inside_irqsave(struct __sk_buff *ctx)
{
	unsigned long flags;
	int err = bpf_res_spin_lock_irqsave(&lock_a, &flags);

	if (err)
		return err;
	err = bpf_res_spin_lock(&lock_b);
	if (!err)
		bpf_res_spin_unlock(&lock_b);
	bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	return err;
}

SEC("?tc")
__returns(0)
int irqsave_inside_plain(struct __sk_buff *ctx)
{
	unsigned long flags;
	int err = bpf_res_spin_lock(&lock_a);

	if (err)
		return err;
	err = bpf_res_spin_lock_irqsave(&lock_b, &flags);
	if (!err)
		bpf_res_spin_unlock_irqrestore(&lock_b, &flags);
	bpf_res_spin_unlock(&lock_a);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
