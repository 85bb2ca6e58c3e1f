// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several locks at once: the same one twice, release order, mismatched releases. */
#include "locks.h"

SEC("?tc")
__refused("Acquiring the same lock again, AA deadlock detected")
int aa_static(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (!a || bpf_res_spin_lock(&a->lock))
		return 0;
	if (!bpf_res_spin_lock(&a->lock))
		bpf_res_spin_unlock(&a->lock);
	bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("Acquiring the same lock again, AA deadlock detected")
int aa_static_unchecked(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (!a)
		return 0;
	bpf_res_spin_lock(&a->lock);
	bpf_res_spin_lock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("Acquiring the same lock again, AA deadlock detected")
int aa_static_global(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

/* The lock that is taken again is not the last one but the one before it. */
SEC("?tc")
__refused("Acquiring the same lock again, AA deadlock detected")
int aba_static(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (bpf_res_spin_lock(&lock_b))
		goto unlock_a;
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_b);
unlock_a:
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int release_global_for_value(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a && !bpf_res_spin_lock(&a->lock))
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int release_value_for_global(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a && !bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int release_other_global(struct __sk_buff *ctx)
{
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_b);
	return 0;
}

/* Two look-ups of one key are two locks for the verifier. */
SEC("?tc")
__refused("bpf_res_spin_unlock of different lock")
int release_through_other_look_up(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);

	if (a && again && !bpf_res_spin_lock(&a->lock))
		bpf_res_spin_unlock(&again->lock);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock cannot be out of order")
int out_of_order(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return 0;
	if (bpf_res_spin_lock(&lock_b)) {
		bpf_res_spin_unlock(&lock_a);
		return 0;
	}
	bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock cannot be out of order")
int out_of_order_values(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);

	if (!a || !b || bpf_res_spin_lock(&a->lock))
		return 0;
	if (bpf_res_spin_lock(&b->lock)) {
		bpf_res_spin_unlock(&a->lock);
		return 0;
	}
	bpf_res_spin_unlock(&a->lock);
	bpf_res_spin_unlock(&b->lock);
	return 0;
}

SEC("?tc")
__returns(0)
int last_in_first_out(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);
	int err;

	if (!a || !b)
		return -1;
	err = bpf_res_spin_lock(&a->lock);
	if (err)
		return err;
	err = bpf_res_spin_lock(&lock_a);
	if (err)
		goto unlock_value;
	err = bpf_res_spin_lock(&b->lock);
	if (err)
		goto unlock_global;
	bpf_res_spin_unlock(&b->lock);
unlock_global:
	bpf_res_spin_unlock(&lock_a);
unlock_value:
	bpf_res_spin_unlock(&a->lock);
	return err;
}

/* The verifier demands no order of acquisition: each path may have its own. */
SEC("?tc")
__returns(0)
int order_by_condition(struct __sk_buff *ctx)
{
	int err;

	if (ctx->len & 1) {
		err = bpf_res_spin_lock(&lock_a);
		if (err)
			return err;
		err = bpf_res_spin_lock(&lock_b);
		if (!err)
			bpf_res_spin_unlock(&lock_b);
		bpf_res_spin_unlock(&lock_a);
		return err;
	}
	err = bpf_res_spin_lock(&lock_b);
	if (err)
		return err;
	err = bpf_res_spin_lock(&lock_a);
	if (!err)
		bpf_res_spin_unlock(&lock_a);
	bpf_res_spin_unlock(&lock_b);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
