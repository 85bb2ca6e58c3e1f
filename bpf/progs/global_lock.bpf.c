// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A lock as a global variable, alone in its own .data section (one lock per map) and hidden, as a
 * map with a lock in it cannot be mapped to user space. It guards other globals, here a pair that
 * every CPU may change: b is always 2 * a.
 *   bpftool prog loadall global_lock.bpf.o /sys/fs/bpf/global_lock
 *   bpftool prog run pinned /sys/fs/bpf/global_lock/global_lock data_in /etc/os-release repeat 1000
 * Expect: 0; -22 (-EINVAL) if the pair were ever seen torn.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 a, b;

SEC("tc")
int global_lock(struct __sk_buff *ctx)
{
	struct sample_scope s;
	bool torn;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
		return sample_end(&s);
	}
	torn = b != 2 * a;
	a++;
	b += 2;
	res_spin_unlock(&lock);
	if (torn)
		s.err = -EINVAL;
	return sample_end(&s);
}
