// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A wait in the lock's queue that ends well, with two CPUs: while the owner wants its lock again,
 * which fails, it has the pending bit, and whoever comes then queues. It gets the lock when the
 * owner has held it a while longer. `rqspin run FILE --roles long_own,long_wait`. Where the owner
 * is refused at once it has no pending bit, and nobody queues.
 */
#include "test_kfuncs.h"
#include "wait_value.h"
#include <bpf/bpf_core_read.h>

#define PENDING 0xff00
#define TAIL	0xffff0000
#define HOLD	(1 << 20) /* turns of a loop: a millisecond or more */
#define ROUNDS	4096

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __weak __ksym;

struct slot {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} longs SEC(".maps");

__u64 arrived;
__u64 refused; /* rounds in which the owner has had its answer */
__u64 queued;  /* rounds in which the other one was in the queue, and got the lock */
__u64 failed;  /* rounds in which its time limit ended: its virtual CPU did not run */
__u64 waited_ns[ROUNDS];

static __always_inline const struct qspinlock *word_of(struct slot *s)
{
	return bpf_rdonly_cast(&s->lock, bpf_core_type_id_kernel(struct qspinlock));
}

static __always_inline __u32 word_bits(const struct qspinlock *word)
{
	return *(volatile const __u32 *)&word->val.counter;
}

SEC("tc")
int long_own(struct __sk_buff *ctx)
{
	const struct qspinlock *word;
	struct slot *s, *again;
	__u32 key = 0, i;
	int err, twice;

	/* Two look-ups: the verifier must not see that both are one lock. */
	s = bpf_map_lookup_elem(&longs, &key);
	again = bpf_map_lookup_elem(&longs, &key);
	if (!s || !again)
		return 1;
	word = word_of(again);
	err = bpf_res_spin_lock(&s->lock);
	if (err)
		return err;
	wait_parties(&arrived, 2);
	twice = bpf_res_spin_lock(&again->lock);
	if (!twice)
		bpf_res_spin_unlock(&again->lock);
	__sync_fetch_and_add(&refused, 1);
	WAIT_UNTIL(word_bits(word) & (PENDING | TAIL));
	if (word_bits(word) & TAIL)
		__sync_fetch_and_add(&queued, 1);
	bpf_for(i, 0, HOLD)
		word_bits(word);
	bpf_res_spin_unlock(&s->lock);
	wait_parties(&arrived, 2);
	return twice;
}

SEC("tc")
int long_wait(struct __sk_buff *ctx)
{
	const struct qspinlock *word;
	__u64 round, before, start, ns;
	struct slot *s;
	__u32 key = 0;
	int err;

	s = bpf_map_lookup_elem(&longs, &key);
	if (!s)
		return 1;
	word = word_of(s);
	round = *(volatile __u64 *)&refused;
	wait_parties(&arrived, 2);
	before = *(volatile __u64 *)&queued;
	WAIT_UNTIL(word_bits(word) & PENDING || *(volatile __u64 *)&refused > round);
	start = bpf_ktime_get_ns();
	err = bpf_res_spin_lock(&s->lock);
	if (!err)
		bpf_res_spin_unlock(&s->lock);
	ns = bpf_ktime_get_ns() - start;
	if (err)
		__sync_fetch_and_add(&failed, 1);
	if (err && *(volatile __u64 *)&queued != before)
		__sync_fetch_and_add(&queued, -1);
	waited_ns[round & (ROUNDS - 1)] = ns;
	wait_parties(&arrived, 2);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
