// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Deadlocks in programs that report nothing themselves: the tracer depends on the
 * kernel's reports. `rqspin run FILE --roles ...`: plain_aa; plain_ab,plain_ba;
 * plain_ab,plain_bc,plain_ca. Every role of a round meets the others with its
 * first lock held.
 */
#include "test_kfuncs.h"

struct plain {
	__u32 id;
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct plain);
} plain_hash SEC(".maps");

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");
struct bpf_res_spin_lock lock_c __hidden SEC(".data.lock_c");

__u64 ready_2, holding_2, ready_3, holding_3;

static __always_inline bool parties_meet(__u64 *arrived, __u32 parties)
{
	__u64 target = (__sync_fetch_and_add(arrived, 1) / parties + 1) * parties;

	while (may_loop)
		if (*(volatile __u64 *)arrived >= target)
			return true;
	return false;
}

#define ROLE(name, parties, first, second)                        \
	SEC("tc")                                                 \
	int name(struct __sk_buff *ctx)                           \
	{                                                         \
		int err;                                          \
                                                                  \
		if (!parties_meet(&ready_##parties, parties))     \
			return 1;                                 \
		err = bpf_res_spin_lock(&first);                  \
		if (err)                                          \
			return err;                               \
		if (!parties_meet(&holding_##parties, parties)) { \
			bpf_res_spin_unlock(&first);              \
			return 1;                                 \
		}                                                 \
		err = bpf_res_spin_lock(&second);                 \
		if (!err)                                         \
			bpf_res_spin_unlock(&second);             \
		bpf_res_spin_unlock(&first);                      \
		return err;                                       \
	}

ROLE(plain_ab, 2, lock_a, lock_b)
ROLE(plain_ba, 2, lock_b, lock_a)
ROLE(plain_ab3, 3, lock_a, lock_b)
ROLE(plain_bc3, 3, lock_b, lock_c)
ROLE(plain_ca3, 3, lock_c, lock_a)

SEC("tc")
int plain_aa(struct __sk_buff *ctx)
{
	struct plain *first, *again, new = { .id = 7 };
	__u32 key = 7;
	int err;

	if (!bpf_map_lookup_elem(&plain_hash, &key))
		bpf_map_update_elem(&plain_hash, &key, &new, BPF_ANY);
	first = bpf_map_lookup_elem(&plain_hash, &key);
	again = bpf_map_lookup_elem(&plain_hash, &key);
	if (!first || !again)
		return 1;
	err = bpf_res_spin_lock(&first->lock);
	if (err)
		return err;
	err = bpf_res_spin_lock(&again->lock);
	if (!err)
		bpf_res_spin_unlock(&again->lock);
	bpf_res_spin_unlock(&first->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
