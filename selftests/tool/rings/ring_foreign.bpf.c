// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A ring with a layout that the headers of this release do not have. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

struct rqspin_ring {
	__u64 head;
	char slots[12000];
} rqspin_ring SEC(".bss.rqspin");

SEC("tc") int foreign(struct __sk_buff *ctx)
{
	__sync_fetch_and_add(&rqspin_ring.head, 1);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
