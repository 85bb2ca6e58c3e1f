// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* For the checks of the runner: lock words of any map, and this CPU's held table. */
#include "test_kfuncs.h"
#include "held_table.h"

const volatile __u32 lock_offset;
/* The word of a free lock, on the patched kernel, whose last owner's number was above 253. */
#define LAST_OWNER 0xfe00

__u64 nr_seen, nr_taken;
__u32 last_word;

SEC("iter/bpf_map_elem")
int read_lock_word(struct bpf_iter__bpf_map_elem *ctx)
{
	void *value = ctx->value;
	__u32 word;

	if (!value)
		return 0;
	word = *(__u32 *)(value + lock_offset);
	nr_seen++;
	if (word & ~LAST_OWNER) {
		nr_taken++;
		last_word = word;
	}
	return 0;
}

SEC("syscall")
int read_held_count(void *ctx)
{
	struct rqspinlock_held *held = own_held_table();

	return held ? held->cnt : 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
