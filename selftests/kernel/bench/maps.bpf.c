// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Updates of hash maps. "update" replaces elements that exist, "insert" deletes
 * and makes them anew: the same bucket lock, but more of the free lists. The hash
 * function has no seed, so chains are the same in every boot.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "maps.h"

#define HASH_MAP(map_type, flags)                       \
	struct {                                        \
		__uint(type, map_type);                 \
		__uint(map_flags, (flags) | (1U << 6)); \
		__uint(max_entries, MAPS_ENTRIES);      \
		__type(key, __u32);                     \
		__type(value, __u64);                   \
	}

/* 1 << 6 is BPF_F_ZERO_SEED, 1 BPF_F_NO_PREALLOC: names that vmlinux.h has as enums only. */
HASH_MAP(BPF_MAP_TYPE_HASH, 0) hash SEC(".maps");
HASH_MAP(BPF_MAP_TYPE_HASH, 1) growing SEC(".maps");
HASH_MAP(BPF_MAP_TYPE_LRU_HASH, 0) lru SEC(".maps");

__u64 failed;

struct position {
	__u32 key;
};

/* All CPUs use all keys, each in an order of its own. */
static __always_inline __u32 next_key(struct position *p)
{
	p->key = p->key * 1664525 + 1013904223;
	return p->key >> (32 - MAPS_KEY_BITS);
}

static __always_inline struct position position_start(void)
{
	return (struct position){ .key = (bpf_get_smp_processor_id() + 1) * 2654435761U };
}

#define BENCH(map)                                                                  \
	static long update_one_##map(__u32 i, struct position *p)                   \
	{                                                                           \
		__u32 key = next_key(p);                                            \
		__u64 value = i;                                                    \
                                                                                    \
		if (bpf_map_update_elem(&map, &key, &value, BPF_ANY))               \
			__sync_fetch_and_add(&failed, 1);                           \
		return 0;                                                           \
	}                                                                           \
                                                                                    \
	static long insert_one_##map(__u32 i, struct position *p)                   \
	{                                                                           \
		__u32 key = next_key(p);                                            \
		__u64 value = i;                                                    \
                                                                                    \
		bpf_map_delete_elem(&map, &key);                                    \
		if (bpf_map_update_elem(&map, &key, &value, BPF_ANY))               \
			__sync_fetch_and_add(&failed, 1);                           \
		return 0;                                                           \
	}                                                                           \
                                                                                    \
	SEC("tc")                                                                   \
	int update_##map(struct __sk_buff *ctx)                                     \
	{                                                                           \
		struct position p = position_start();                               \
                                                                                    \
		return bpf_loop(MAPS_BATCH, update_one_##map, &p, 0) != MAPS_BATCH; \
	}                                                                           \
                                                                                    \
	SEC("tc")                                                                   \
	int insert_##map(struct __sk_buff *ctx)                                     \
	{                                                                           \
		struct position p = position_start();                               \
                                                                                    \
		return bpf_loop(MAPS_BATCH, insert_one_##map, &p, 0) != MAPS_BATCH; \
	}

BENCH(hash)
BENCH(growing)
BENCH(lru)

char _license[] SEC("license") = "GPL";
