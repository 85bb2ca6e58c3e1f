// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* For the checks of the runner: lock words of any map, and this CPU's held table. */
#include "test_kfuncs.h"
#include "held_table.h"

const volatile __u32 lock_offset;
/* The word of a free lock, on the patched kernel, whose last owner's number was above 253. */
#define LAST_OWNER 0xfe00

__u64 nr_seen, nr_taken;
__u32 last_word;

/* Stands for the map whose descriptor the runner puts in its place. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} looked_at SEC(".maps");

/* Programs must not read a lock's word, but its address is as good as any other. */
static long lock_word_read(struct bpf_map *map, const void *key, void *value, void *ctx)
{
	__u32 word;

	if (bpf_probe_read_kernel(&word, sizeof(word), value + lock_offset))
		return 1;
	nr_seen++;
	if (word & ~LAST_OWNER) {
		nr_taken++;
		last_word = word;
	}
	return 0;
}

SEC("syscall")
int read_lock_words(void *ctx)
{
	return bpf_for_each_map_elem(&looked_at, lock_word_read, NULL, 0);
}

SEC("syscall")
int read_held_count(void *ctx)
{
	struct rqspinlock_held *held = own_held_table();

	return held ? held->cnt : 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
