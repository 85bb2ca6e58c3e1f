// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A waiter in the lock's queue with two CPUs: while one CPU has the pending bit, the owner wants
 * the lock again, enters the queue and fails. `rqspin run FILE --roles pair_own,pair_wait`.
 */
#include "test_kfuncs.h"
#include "wait_value.h"
#include <bpf/bpf_core_read.h>

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __weak __ksym;

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} pairs SEC(".maps");

__u64 arrived;

SEC("tc")
int pair_own(struct __sk_buff *ctx)
{
	const struct qspinlock *word;
	struct slot *s, *again;
	int err, alone;
	__u32 key = 0;

	/* Two look-ups: the verifier must not see that both are one lock. */
	s = bpf_map_lookup_elem(&pairs, &key);
	again = bpf_map_lookup_elem(&pairs, &key);
	if (!s || !again)
		return 1;
	/* The kernel's type of the lock: a waiter changes the word. */
	word = bpf_rdonly_cast(&again->lock, bpf_core_type_id_kernel(struct qspinlock));
	err = bpf_res_spin_lock(&s->lock);
	if (err)
		return err;
	alone = word->val.counter;
	wait_parties(&arrived, 2);
	WAIT_UNTIL(*(volatile const int *)&word->val.counter != alone);
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&s->lock);
	return err;
}

SEC("tc")
int pair_wait(struct __sk_buff *ctx)
{
	struct slot *s;
	__u32 key = 0;
	int err;

	s = bpf_map_lookup_elem(&pairs, &key);
	if (!s)
		return 1;
	wait_parties(&arrived, 2);
	err = bpf_res_spin_lock(&s->lock);
	if (!err)
		bpf_res_spin_unlock(&s->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
