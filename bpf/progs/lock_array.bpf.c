// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * res_lock_array.bpf.h: an array of global locks indexed at run time. The verifier allows one lock
 * per section, so the header makes a section for each and a choice among them.
 *   bpftool prog loadall lock_array.bpf.o /sys/fs/bpf/lock_array
 *   bpftool prog run pinned /sys/fs/bpf/lock_array/lock_array data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"
#include <rqspin/res_lock_array.bpf.h>

#define STRIPES 8

RES_LOCK_BANK(stripes, 8);
__u64 counters[STRIPES];

SEC("tc")
int lock_array(struct __sk_buff *ctx)
{
	__u32 stripe = bpf_get_prandom_u32() % STRIPES;
	struct bpf_res_spin_lock *lock = res_lock_bank(stripes, 8, stripe);
	struct sample_scope s;
	int err;

	if (!lock)
		return -EINVAL;
	sample_begin(&s);
	err = res_spin_lock(lock);
	if (err) {
		sample_fail(&s, lock, err);
		return sample_end(&s);
	}
	counters[stripe]++;
	res_spin_unlock(lock);
	return sample_end(&s);
}
