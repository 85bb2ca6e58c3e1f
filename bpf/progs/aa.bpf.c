// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AA: a program takes a lock that its own CPU holds already. The verifier refuses this for one
 * pointer, so the lock is reached by two look-ups, as it happens between two functions.
 *   bpftool prog loadall aa.bpf.o /sys/fs/bpf/aa
 *   bpftool prog run pinned /sys/fs/bpf/aa/aa data_in /etc/os-release repeat 100
 * Expect: return value -35 (-EDEADLK, 4294967261 unsigned), every time; within 2 ms.
 */
#include "sample.bpf.h"

struct slot {
	struct bpf_res_spin_lock lock;
	__u32 value;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

SEC("tc")
int aa(struct __sk_buff *ctx)
{
	struct slot *first, *again;
	struct sample_scope s;
	__u32 key = 0;
	int err;

	first = bpf_map_lookup_elem(&slots, &key);
	again = bpf_map_lookup_elem(&slots, &key);
	if (!first || !again)
		return 0;
	sample_begin(&s);
	err = res_spin_lock(&first->lock);
	if (err) {
		sample_fail(&s, &first->lock, err);
		return sample_end(&s);
	}
	err = res_spin_lock(&again->lock);
	if (err)
		sample_fail(&s, &again->lock, err);
	else
		res_spin_unlock(&again->lock);
	res_spin_unlock(&first->lock);
	return sample_end(&s);
}
