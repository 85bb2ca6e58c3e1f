// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel remembers 31 held locks per CPU. A CPU may hold more, but a deadlock on the 32nd is
 * no longer seen: what would be an AA ends in a timeout.
 *   bpftool prog loadall held_max.bpf.o /sys/fs/bpf/held_max
 *   bpftool prog run pinned /sys/fs/bpf/held_max/held_max data_in /etc/os-release repeat 1
 * Expect: -110 (-ETIMEDOUT) after 250 ms or more, not -35. A kernel without that limit: -35.
 */
#include "sample.bpf.h"

#define HELD 32

struct held_lock {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HELD);
	__type(key, __u32);
	__type(value, struct held_lock);
} held_locks SEC(".maps");

SEC("tc")
int held_max(struct __sk_buff *ctx)
{
	struct held_lock *l[HELD + 1];
	struct sample_scope s;
	int err = 0, n;

	for (n = 0; n <= HELD; n++) {
		__u32 key = n < HELD ? n : HELD - 1;

		l[n] = bpf_map_lookup_elem(&held_locks, &key);
		if (!l[n])
			return 0;
	}
	sample_begin(&s);
	for (n = 0; n <= HELD; n++) {
		err = res_spin_lock(&l[n]->lock);
		if (err) {
			sample_fail(&s, &l[n]->lock, err);
			break;
		}
	}
	while (n-- > 0)
		res_spin_unlock(&l[n]->lock);
	return sample_end(&s);
}
