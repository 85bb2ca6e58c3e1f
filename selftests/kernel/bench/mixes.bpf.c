// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Look up, update and delete elements in a mix that the driver sets, and take one lock: ordinary
 * use of the kernel's locks. All CPUs use all keys, each in an order of its own.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "mixes.h"

/* 1 is BPF_F_NO_PREALLOC: vmlinux.h has it as an enum only. */
#define MIXED_MAP(map_type, flags)                  \
	struct {                                    \
		__uint(type, map_type);             \
		__uint(map_flags, flags);           \
		__uint(max_entries, MIXES_ENTRIES); \
		__type(key, __u32);                 \
		__type(value, __u64);               \
	}

MIXED_MAP(BPF_MAP_TYPE_HASH, 0) hash SEC(".maps");
MIXED_MAP(BPF_MAP_TYPE_HASH, 1) hash_no_prealloc SEC(".maps");
MIXED_MAP(BPF_MAP_TYPE_LRU_HASH, 0) lru_hash SEC(".maps");

struct bpf_res_spin_lock res_lock __hidden SEC(".data.res_lock");
struct bpf_spin_lock spin_lock __hidden SEC(".data.spin_lock");

__u32 updates, deletes; /* of 100 operations; the others are lookups */
__u64 counted;		/* under a lock */
__u64 failed, found;

struct turn {
	__u32 random;
};

static __always_inline __u32 turn_next(struct turn *t)
{
	t->random = t->random * 1664525 + 1013904223;
	return t->random >> 8;
}

static __always_inline struct turn turn_start(void)
{
	return (struct turn){ .random = (bpf_get_smp_processor_id() + 1) * 2654435761U };
}

static __always_inline void map_operate(void *map, struct turn *t)
{
	__u32 key = turn_next(t) & ((1 << MIXES_KEY_BITS) - 1), which = turn_next(t) % 100;
	__u64 value = which;

	if (which < updates) {
		if (bpf_map_update_elem(map, &key, &value, BPF_ANY))
			__sync_fetch_and_add(&failed, 1);
	} else if (which < updates + deletes) {
		bpf_map_delete_elem(map, &key); /* often there is none */
	} else if (bpf_map_lookup_elem(map, &key) && which == 99) {
		__sync_fetch_and_add(&found, 1);
	}
}

#define MIX(map)                                                                  \
	static long one_of_##map(__u32 i, struct turn *t)                         \
	{                                                                         \
		map_operate(&map, t);                                             \
		return 0;                                                         \
	}                                                                         \
                                                                                  \
	SEC("tc")                                                                 \
	int mix_##map(struct __sk_buff *ctx)                                      \
	{                                                                         \
		struct turn t = turn_start();                                     \
                                                                                  \
		return bpf_loop(MIXES_BATCH, one_of_##map, &t, 0) != MIXES_BATCH; \
	}

MIX(hash)
MIX(hash_no_prealloc)
MIX(lru_hash)

static long take_res_lock(__u32 i, void *ctx)
{
	if (res_spin_lock(&res_lock)) {
		__sync_fetch_and_add(&failed, 1);
		return 0;
	}
	counted++;
	res_spin_unlock(&res_lock);
	return 0;
}

SEC("tc")
int lock_bpf_res_spin_lock(struct __sk_buff *ctx)
{
	return bpf_loop(MIXES_BATCH, take_res_lock, NULL, 0) != MIXES_BATCH;
}

static long take_spin_lock(__u32 i, void *ctx)
{
	bpf_spin_lock(&spin_lock);
	counted++;
	bpf_spin_unlock(&spin_lock);
	return 0;
}

SEC("tc")
int lock_bpf_spin_lock(struct __sk_buff *ctx)
{
	return bpf_loop(MIXES_BATCH, take_spin_lock, NULL, 0) != MIXES_BATCH;
}

char _license[] SEC("license") = "Dual BSD/GPL";
