// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A syscall program: user space calls it like a function, here to read two values as one snapshot
 * that no other CPU can change in between. No helper while the lock is held, before and after any.
 *   bpftool prog loadall syscall.bpf.o /sys/fs/bpf/syscall
 *   bpftool prog run pinned /sys/fs/bpf/syscall/snapshot repeat 0   # this type has no repeat
 * Expect: 0.
 */
#include "sample.bpf.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 seconds, nanoseconds;

SEC("syscall")
int snapshot(struct sample_role_args *args)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct sample_scope s;
	int err;

	sample_begin(&s);
	err = res_spin_lock(&lock);
	if (err) {
		sample_fail(&s, &lock, err);
		return sample_end(&s);
	}
	seconds = now / 1000000000;
	nanoseconds = now % 1000000000;
	res_spin_unlock(&lock);
	return sample_end(&s);
}
