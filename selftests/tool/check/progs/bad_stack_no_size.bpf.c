// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. What stands in the register after a helper's buffer is not the buffer's size. */
#include "stack.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 8);
	__uint(value_size, 16);
} queue SEC(".maps");

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 keys[4] = {};
	long err;

	asm volatile("r1 = %[map] ll; r2 = %[keys]; r3 = 1; call %[pop]; %[err] = r0"
		     : [err] "=r"(err)
		     : [map] "i"(&queue), [keys] "r"(keys), [pop] "i"(BPF_FUNC_map_pop_elem)
		     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
	if (err)
		return 0;
	return under_table(bpf_map_lookup_elem(&users, &keys[2]));
}

OTHER_WAY(1)
