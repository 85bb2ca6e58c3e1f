// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The locks inside maps. When the allocator's cache runs low under a map's lock
 * it raises an irq_work, and that raise is a tracepoint: a program on it runs
 * with the lock held and can touch the same map again.
 */
#include "test_kfuncs.h"
#include <bpf/bpf_tracing.h>

#define INSERTS 1024

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} hash0 SEC(".maps"), hash1 SEC(".maps");

struct trie_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8192);
	__type(key, struct trie_key);
	__type(value, __u64);
} trie SEC(".maps");

enum mode { MODE_OFF, MODE_REENTER_HASH, MODE_REENTER_TRIE, MODE_HOLD, MODE_CROSS };

__u32 mode, target_tgid;
/* Key that is being inserted, per side (CROSS: the CPU's number; else 0). */
__u32 current_key[2];
__u32 current_trie_data;
/* Results of nested operations. */
__u64 nested_ok, nested_edeadlk, nested_etimedout, nested_other;
/* Results of the interrupted operations. */
__u64 outer_ok, outer_failed;
/* HOLD: the bucket of current_key[0] is locked until user space sets release. */
__u32 holding, release, hold_gave_up;
/* CROSS: sides that hold their own bucket; results of the other's bucket. */
__u32 arrived, cross_missed;
__s64 cross_result[2];
__u32 cross_done[2];

static __always_inline long result_count(long err)
{
	if (!err)
		__sync_fetch_and_add(&nested_ok, 1);
	else if (err == -EDEADLK)
		__sync_fetch_and_add(&nested_edeadlk, 1);
	else if (err == -ETIMEDOUT)
		__sync_fetch_and_add(&nested_etimedout, 1);
	else
		__sync_fetch_and_add(&nested_other, 1);
	return err;
}

static __always_inline long hash_update(void *hash, __u32 key)
{
	__u64 value = 1;

	return bpf_map_update_elem(hash, &key, &value, BPF_ANY);
}

static __noinline bool owner_released(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release)
			return true;
	}
	return false;
}

static __noinline bool both_arrived(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&arrived >= 2)
			return true;
	}
	return false;
}

/*
 * -EDEADLK proves that the operation below holds the bucket's lock; then stay here,
 * but not for ever: interrupts are off, and other CPUs may wait for this one to
 * answer. The slowest waiter needs 1 s to give up, and time to arrive before.
 */
#define HOLD_NS 4000000000ULL

static __always_inline void hold_bucket(void)
{
	__u64 begin = bpf_ktime_get_ns();

	if (holding || result_count(hash_update(&hash0, current_key[0])) != -EDEADLK)
		return;
	holding = 1;
	while (may_loop && bpf_ktime_get_ns() - begin < HOLD_NS) {
		if (owner_released())
			return;
	}
	hold_gave_up = 1;
}

static __always_inline long update_side(__u32 side, __u32 key)
{
	return side ? hash_update(&hash1, key) : hash_update(&hash0, key);
}

/* Our bucket is locked below us, the other side's by the other CPU: want the latter. */
static __always_inline void buckets_cross(void)
{
	__u32 side = bpf_get_smp_processor_id() & 1;

	if (cross_done[side] || update_side(side, current_key[side]) != -EDEADLK)
		return;
	cross_done[side] = 1;
	__sync_fetch_and_add(&arrived, 1);
	if (!both_arrived() && !both_arrived() && !both_arrived() && !both_arrived()) {
		cross_missed = 1;
		return;
	}
	cross_result[side] = result_count(update_side(!side, current_key[!side]));
}

SEC("tp_btf/ipi_send_cpu")
int BPF_PROG(under_map_lock, unsigned int cpu, unsigned long callsite, void *callback)
{
	struct trie_key key = { .prefixlen = 32, .data = current_trie_data };
	__u64 value = 1;

	if (bpf_get_current_pid_tgid() >> 32 != target_tgid)
		return 0;
	if (mode == MODE_REENTER_HASH)
		result_count(hash_update(&hash0, current_key[0]));
	else if (mode == MODE_REENTER_TRIE)
		result_count(bpf_map_update_elem(&trie, &key, &value, BPF_ANY));
	else if (mode == MODE_HOLD)
		hold_bucket();
	else if (mode == MODE_CROSS)
		buckets_cross();
	return 0;
}

static __always_inline void outer_count(long err)
{
	__sync_fetch_and_add(err ? &outer_failed : &outer_ok, 1);
}

/* New keys, until the allocator's cache has run low often enough. */
static long insert_side0(__u32 i, void *ctx)
{
	if (cross_done[0] || cross_missed)
		return 1;
	current_key[0] = i;
	outer_count(hash_update(&hash0, i));
	return 0;
}

static long insert_side1(__u32 i, void *ctx)
{
	if (cross_done[1] || cross_missed)
		return 1;
	current_key[1] = i;
	outer_count(hash_update(&hash1, i));
	return 0;
}

/* Keys that differ in their first bits need an inner node each, made under the lock. */
static long insert_trie(__u32 i, void *ctx)
{
	struct trie_key key = { .prefixlen = 32, .data = i * 2654435761u };
	__u64 value = 1;

	current_trie_data = key.data;
	outer_count(bpf_map_update_elem(&trie, &key, &value, BPF_ANY));
	return 0;
}

SEC("syscall")
int fill_side0(void *ctx)
{
	bpf_loop(INSERTS, insert_side0, NULL, 0);
	return 0;
}

SEC("syscall")
int fill_side1(void *ctx)
{
	bpf_loop(INSERTS, insert_side1, NULL, 0);
	return 0;
}

/* Not SEC("syscall"): sleepable programs cannot use tries. */
SEC("tc")
int fill_trie(struct __sk_buff *ctx)
{
	bpf_loop(INSERTS, insert_trie, NULL, 0);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
