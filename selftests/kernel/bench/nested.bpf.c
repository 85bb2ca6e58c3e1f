// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations on a map on top of an operation on the same map: the outer one holds
 * a lock of the map and passes a place where a program can be attached. For the
 * locks of queues, stacks, ring buffers and free lists that place is the end of a
 * contended acquisition: the tracepoint fires when the lock has been acquired.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "../progs/may_loop.h"
#include "nested.h"

#define EAGAIN	  11
#define ENOMEM	  12
#define E2BIG	  7
#define EBUSY	  16
#define EDEADLK	  35
#define ETIMEDOUT 110

#define CPUS	   64
#define OPERATIONS 1000
#define HASH_KEYS  (1 << 18)
#define TRIE_KEYS  (1 << 15)
#define RING_SIZE  (1 << 20)
#define NO_ROOM	   1 /* neither success nor the error of a lock: not counted */
#define NO_RECORD  2

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, HASH_KEYS);
	__type(key, __u32);
	__type(value, __u64);
} hash0 SEC(".maps"), hash1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} preallocated SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} lru SEC(".maps");

struct trie_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4 * TRIE_KEYS);
	__type(key, struct trie_key);
	__type(value, __u64);
} trie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 16);
	__type(value, __u64);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 16);
	__type(value, __u64);
} stack SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SIZE);
} ring SEC(".maps");

const volatile __u32 which;
/* Is on_failure() attached? */
const volatile bool sees_failures;
const volatile __u32 target_tgid;

struct nested_counts nested;
/* Results of operations without nesting, while armed is 0. */
__u64 alone_ok, alone_failed;
__u64 draws;
/* enough: nested failures (or operations, if no failure is expected) until the case ends. */
__u32 armed, stopped, enough;
/* The CPU is inside an outer operation on this key, without a nested operation so far. */
__u32 inside[CPUS], current_key[CPUS];
/* Failed acquisitions, by CPU. */
__u64 failures[CPUS];
/* CROSS: number of sides that have locked their bucket; sides that have met the other one. */
__u32 arrived, crossed[2];

static __always_inline __u32 this_cpu(void)
{
	return bpf_get_smp_processor_id() & (CPUS - 1);
}

static __always_inline long map_update(void *map, __u32 key)
{
	__u64 value = 1;

	return bpf_map_update_elem(map, &key, &value, BPF_ANY);
}

/* Keys that differ in their first bits need an inner node each. */
static __always_inline long update_trie(__u32 key)
{
	struct trie_key k = { .prefixlen = 32, .data = key % TRIE_KEYS * 2654435761U };
	__u64 value = 1;

	return bpf_map_update_elem(&trie, &k, &value, BPF_ANY);
}

static __always_inline long map_push(void *map)
{
	__u64 value = 1;

	return bpf_map_push_elem(map, &value, BPF_EXIST);
}

static __always_inline long ring_output(void)
{
	__u64 value = 1;
	long err = bpf_ringbuf_output(&ring, &value, sizeof(value), BPF_RB_NO_WAKEUP);
	bool full = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > RING_SIZE / 2;

	return err == -EAGAIN && full ? NO_ROOM : err;
}

static __always_inline long ring_reserve(void)
{
	void *record = bpf_ringbuf_reserve(&ring, 8, 0);

	if (record)
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	else if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > RING_SIZE / 2)
		return NO_ROOM;
	return record ? 0 : NO_RECORD;
}

/* One CPU deletes, the others insert: they all want the free list of that one. */
static __always_inline long insert_or_delete(__u32 key)
{
	long err;

	key %= 4096;
	if (this_cpu() != 1) {
		err = map_update(&preallocated, key);
		return err == -E2BIG ? NO_ROOM : err;
	}
	bpf_map_delete_elem(&preallocated, &key);
	return NO_ROOM;
}

/* A key of its own: a replacement would take no element from a free list. */
static __always_inline long insert_nested(__u32 key)
{
	long err;

	key |= 1U << 31;
	err = map_update(&preallocated, key);
	if (!err)
		bpf_map_delete_elem(&preallocated, &key);
	return err;
}

static __always_inline long update_side(__u32 side, __u32 key)
{
	key &= HASH_KEYS - 1;
	return side ? map_update(&hash1, key) : map_update(&hash0, key);
}

static __always_inline long map_operate(__u32 key)
{
	switch (which) {
	case CASE_HASH_SAME:
	case CASE_HASH_OTHER:
		return update_side(0, key);
	case CASE_HASH_CROSS:
		return update_side(this_cpu() & 1, key);
	case CASE_LRU:
		return map_update(&lru, key);
	case CASE_LPM:
		return update_trie(key);
	case CASE_QUEUE:
		return map_push(&queue);
	case CASE_STACK:
		return map_push(&stack);
	case CASE_RINGBUF:
		return ring_output();
	case CASE_RESERVE:
		return ring_reserve();
	default:
		return insert_or_delete(key);
	}
}

static __noinline bool other_arrived(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&arrived >= 2)
			return true;
	}
	return __sync_val_compare_and_swap(&arrived, 1, 0) != 1;
}

/* Our bucket is locked below us (its update fails), the other side's by the other CPU. */
static __always_inline long buckets_cross(__u32 key)
{
	__u32 side = this_cpu() & 1;

	if (crossed[side] || !update_side(side, key))
		return NO_ROOM;
	__sync_fetch_and_add(&arrived, 1);
	if (!other_arrived())
		return NO_ROOM;
	crossed[side] = 1;
	/* CPU 1 is side 1, CPU 2 is side 0. */
	return update_side(!side, current_key[side ? 2 : 1]);
}

static __always_inline long operate_nested(__u32 key)
{
	switch (which) {
	case CASE_HASH_OTHER:
		return update_side(0, key + 1);
	case CASE_HASH_CROSS:
		return buckets_cross(key);
	case CASE_LRU:
		return map_update(&lru, ~key);
	case CASE_FREELIST:
		return insert_nested(key);
	default:
		return map_operate(key);
	}
}

static __always_inline void result_count(long err)
{
	__u64 *n = !err		     ? &nested.ok :
		   err == NO_RECORD  ? &nested.null :
		   err == -EDEADLK   ? &nested.edeadlk :
		   err == -ETIMEDOUT ? &nested.etimedout :
		   err == -EBUSY     ? &nested.ebusy :
		   err == -ENOMEM    ? &nested.enomem :
		   err == -EAGAIN    ? &nested.eagain :
		   err == -E2BIG     ? &nested.e2big :
				       &nested.other;

	if (err == NO_ROOM)
		return;
	__sync_fetch_and_add(n, 1);
	if (!err && which != CASE_HASH_OTHER)
		return;
	if (__sync_sub_and_fetch(&enough, 1) == 0)
		stopped = 1;
}

/* If no lock has failed meanwhile, the error has another cause, such as a full map. */
static __always_inline bool has_other_cause(long err, __u64 before)
{
	return sees_failures && err && err != NO_ROOM && failures[this_cpu()] == before;
}

static __always_inline int nested_hook(void)
{
	__u32 cpu = this_cpu();
	__u64 before;
	long err;

	if (!armed || !inside[cpu] || bpf_get_current_pid_tgid() >> 32 != target_tgid)
		return 0;
	inside[cpu] = 0;
	before = failures[cpu];
	err = operate_nested(current_key[cpu]);
	result_count(has_other_cause(err, before) ? NO_ROOM : err);
	return 0;
}

/* nested.c attaches it on kernels with this tracepoint. */
SEC("?raw_tp/rqspinlock_failure")
int on_failure(void *ctx)
{
	failures[this_cpu()]++;
	return 0;
}

/* The allocator's cache ran low under the lock of a bucket or trie. */
SEC("?tp_btf/ipi_send_cpu")
int BPF_PROG(on_ipi)
{
	return nested_hook();
}

/* Before the series a trie allocates from the slab allocator, under its lock. */
SEC("?tp_btf/kmalloc")
int BPF_PROG(on_kmalloc)
{
	return nested_hook();
}

/* Called with the lock of an LRU list held. */
SEC("?fentry/htab_lru_map_delete_node")
int BPF_PROG(on_evict)
{
	return nested_hook();
}

SEC("?tp_btf/contention_end")
int BPF_PROG(on_contention_end, void *lock, int ret)
{
	return ret ? 0 : nested_hook();
}

static long operate_once(__u32 i, void *ctx)
{
	__u32 cpu = this_cpu();
	__u32 key = __sync_fetch_and_add(&draws, 1);
	long err;

	if (*(volatile __u32 *)&stopped)
		return 1;
	current_key[cpu] = key;
	inside[cpu] = 1;
	err = map_operate(key);
	inside[cpu] = 0;
	if (!armed && err != NO_ROOM)
		__sync_fetch_and_add(err ? &alone_failed : &alone_ok, 1);
	return 0;
}

SEC("tc")
int outer(struct __sk_buff *ctx)
{
	bpf_loop(OPERATIONS, operate_once, NULL, 0);
	return 0;
}

char _license[] SEC("license") = "GPL";
