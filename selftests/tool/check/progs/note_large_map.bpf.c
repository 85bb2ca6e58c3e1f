// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. Gigabytes, were they allocated; a key far up is looked at all the same. */
#include "check.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 250000000);
	__type(key, __u32);
	__type(value, struct elem);
} large SEC(".maps");

SEC("tc")
int far_up(struct __sk_buff *ctx)
{
	struct elem *e = elem_of(&large, 20000);

	return e ? take_inlined(&e->lock) : 0;
}
