// error: map '\.data\.lock': failed to re-mmap\(\) contents: -(524|ENOTSUPP)
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>

struct bpf_res_spin_lock lock SEC(".data.lock");

SEC("tc") int program(struct __sk_buff *skb)
{
	if (res_spin_lock(&lock))
		return 0;
	res_spin_unlock(&lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
