// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * res_spin_fallback.bpf.h: one source for every kernel from 5.17 on. Where the kernel has resilient
 * locks they are used, elsewhere a lock in plain BPF with the same results: here an AA.
 *   bpftool prog loadall fallback.bpf.o /sys/fs/bpf/fallback
 *   bpftool prog run pinned /sys/fs/bpf/fallback/fallback data_in /etc/os-release repeat 100
 * Expect: return value -35 (-EDEADLK, 4294967261 unsigned), on 6.1 as on 7.x.
 */
#include "vmlinux.h"
#include <rqspin/res_spin_fallback.bpf.h>
#include "sample.bpf.h"
#include <rqspin/res_lock_array.bpf.h>

struct locked {
	struct bpf_res_spin_lock lock;
	__u32 value;
};

RES_FALLBACK_DEFINE;
RES_LOCK_MAP(table, struct locked, 1);

SEC("tc")
int fallback(struct __sk_buff *ctx)
{
	struct locked *first = res_lock_map_elem(&table, 0);
	struct locked *again = res_lock_map_elem(&table, 0);
	struct sample_scope s;
	int err;

	if (!first || !again)
		return -EINVAL;
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
