// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The per-CPU table of held locks: its entries, and its overflow. */
#include "test_kfuncs.h"
#include "held_table.h"

/* More locks than the table has entries: the last ones are held but not listed. */
#define DEPTH 34

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DEPTH);
	__type(key, __u32);
	__type(value, struct locked_value);
} values SEC(".maps");

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");

/* Key of the element to lock again when all are held. */
__u32 again_key;
__u32 table_size;
int before, with_one, with_two, after_failure, after_one, after_all;
__u64 listed[2], addresses[2];

static __always_inline struct locked_value *element_of(__u32 key)
{
	return bpf_map_lookup_elem(&values, &key);
}

SEC("syscall")
int contents(void *ctx)
{
	struct rqspinlock_held *held = own_held_table();
	struct locked_value *a = element_of(0), *again = element_of(0);
	int err;

	if (!a || !again)
		return -1;
	if (!held)
		return HELD_TABLE_HIDDEN;
	addresses[0] = (__u64)&a->lock;
	addresses[1] = (__u64)&lock_a;
	before = held->cnt;
	if (bpf_res_spin_lock(&a->lock))
		return -2;
	with_one = held->cnt;
	if (bpf_res_spin_lock(&lock_a)) {
		bpf_res_spin_unlock(&a->lock);
		return -3;
	}
	with_two = held->cnt;
	listed[0] = (__u64)held->locks[0];
	listed[1] = (__u64)held->locks[1];
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	after_failure = held->cnt;
	bpf_res_spin_unlock(&lock_a);
	after_one = held->cnt;
	bpf_res_spin_unlock(&a->lock);
	after_all = held->cnt;
	return err;
}

SEC("syscall")
int overflow(void *ctx)
{
	struct locked_value *v[DEPTH], *again = element_of(again_key);
	int i, n, err = 1;

	if (bpf_core_type_exists(struct rqspinlock_held))
		table_size =
			bpf_core_field_size(((struct rqspinlock_held *)0)->locks) / sizeof(void *);
	if (!again)
		return 2;
	for (i = 0; i < DEPTH; i++) {
		v[i] = element_of(i);
		if (!v[i])
			return 3;
	}
	for (n = 0; n < DEPTH; n++) {
		if (bpf_res_spin_lock(&v[n]->lock))
			goto unlock;
	}
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
unlock:
	for (i = n - 1; i >= 0; i--)
		bpf_res_spin_unlock(&v[i]->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
