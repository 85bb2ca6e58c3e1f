// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One lock that everybody wants all the time: lock, count, unlock. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "convoy.h"

struct bpf_res_spin_lock lock __hidden SEC(".data.lock");
__u64 count;	       /* changed under the lock only */
__u64 failed, longest; /* longest: ns from the call to its return */

static long acquire(__u32 i, void *ctx)
{
	__u64 begin = bpf_ktime_get_ns(), took;
	int err = res_spin_lock(&lock);

	if (!err) {
		count++;
		res_spin_unlock(&lock);
	}
	took = bpf_ktime_get_ns() - begin;
	if (took > longest)
		longest = took;
	if (err)
		__sync_fetch_and_add(&failed, 1);
	return 0;
}

SEC("tc")
int convoy(struct __sk_buff *ctx)
{
	return bpf_loop(CONVOY_BATCH, acquire, NULL, 0) != CONVOY_BATCH;
}

char _license[] SEC("license") = "Dual BSD/GPL";
