// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One CPU takes a lock twice; two look-ups of one key hide this from the verifier. */
#include "test_kfuncs.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

__u64 acquired, deadlocks, others;

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

SEC("?tc")
__returns(-35)
int aa_plain(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	int err;

	if (!a || !again || bpf_res_spin_lock(&a->lock))
		return 1;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&a->lock);
	return err;
}

SEC("?tc")
__returns(-35)
int aa_irqsave(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	unsigned long flags, flags_again;
	int err;

	if (!a || !again || bpf_res_spin_lock_irqsave(&a->lock, &flags))
		return 1;
	err = bpf_res_spin_lock_irqsave(&again->lock, &flags_again);
	if (!err)
		bpf_res_spin_unlock_irqrestore(&again->lock, &flags_again);
	bpf_res_spin_unlock_irqrestore(&a->lock, &flags);
	return err;
}

/* The lock is not the last one taken but the first of three. */
SEC("?tc")
__returns(-35)
int aa_below_others(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1), *c = element_of(2),
			    *again = element_of(0);
	int err;

	if (!a || !b || !c || !again || bpf_res_spin_lock(&a->lock))
		return 1;
	err = bpf_res_spin_lock(&b->lock);
	if (err)
		goto unlock_a;
	err = bpf_res_spin_lock(&c->lock);
	if (err)
		goto unlock_b;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&c->lock);
unlock_b:
	bpf_res_spin_unlock(&b->lock);
unlock_a:
	bpf_res_spin_unlock(&a->lock);
	return err;
}

SEC("?tc")
__returns(0)
int same_lock_one_after_the_other(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);

	if (!a || !again || bpf_res_spin_lock(&a->lock))
		return 1;
	bpf_res_spin_unlock(&a->lock);
	if (bpf_res_spin_lock(&again->lock))
		return 2;
	bpf_res_spin_unlock(&again->lock);
	return 0;
}

SEC("?tc")
__returns(0)
int two_elements_are_two_locks(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *b = element_of(1);
	int err;

	if (!a || !b || bpf_res_spin_lock(&a->lock))
		return 1;
	err = bpf_res_spin_lock(&b->lock);
	if (!err)
		bpf_res_spin_unlock(&b->lock);
	bpf_res_spin_unlock(&a->lock);
	return err;
}

SEC("?syscall")
__returns(-35)
int aa_sleepable(void *ctx)
{
	struct locked_value *a, *again;
	int err = 1;

	a = element_of(3);
	again = element_of(3);
	if (!a || !again || bpf_res_spin_lock(&a->lock))
		return 1;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&a->lock);
	return err;
}

/* For prog_tests/aa.c: every outcome is counted. */
SEC("?tc")
int aa_counted(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0), *again = element_of(0);
	int err;

	if (!a || !again || bpf_res_spin_lock(&a->lock))
		return 1;
	acquired++;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	if (err == -EDEADLK)
		deadlocks++;
	else
		others++;
	bpf_res_spin_unlock(&a->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
