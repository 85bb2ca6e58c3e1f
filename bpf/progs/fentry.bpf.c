// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fentry: a program at the entry of a kernel function, here of array map updates, counts under a
 * lock. The tc program does the updates that are counted.
 *   bpftool prog loadall fentry.bpf.o /sys/fs/bpf/fentry autoattach
 *   bpftool prog run name fentry_trigger data_in /etc/os-release repeat 100
 * Expect: 0; "updates" grows by 100. Needs trampolines (function tracing in the kernel, no
 * lockdown).
 */
#include "sample.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} watched SEC(".maps");

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 updates;

SEC("fentry/array_map_update_elem")
int BPF_PROG(fentry_count, struct bpf_map *map)
{
	struct sample_scope s;
	int err;

	if (map->id != ((struct bpf_map *)&watched)->id)
		return 0;
	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
	} else {
		updates++;
		res_spin_unlock(&lock);
	}
	sample_end(&s);
	return 0;
}

SEC("tc")
int fentry_trigger(struct __sk_buff *ctx)
{
	__u32 key = 0;
	__u64 now = bpf_ktime_get_ns();

	return bpf_map_update_elem(&watched, &key, &now, BPF_ANY);
}
