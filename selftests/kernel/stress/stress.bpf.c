// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Map updates from contexts that interrupt each other: a task, a timer
 * interrupt, the scheduler, a lock's own contention tracepoint, the signal by
 * which an update requests memory with the bucket's lock held, and, if the kernel
 * does not hang there, evictions, the freeing of fields and NMIs. All programs
 * use the same few keys, so that many locks are held already.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "stress.h"

#define KEYS	  16
#define EDEADLK	  35
#define ETIMEDOUT 110
#define EBUSY	  16

struct lpm_key {
	__u32 prefixlen;
	__u32 addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(map_flags, BPF_F_NO_COMMON_LRU);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} lru_cpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, KEYS);
	__type(key, struct lpm_key);
	__type(value, __u64);
} lpm SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} growing SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ringbuf SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, KEYS);
	__type(value, __u64);
} queue SEC(".maps");

struct stress_counts counts;
__u64 draws;
/* stopped: no more updates; when running is 0 as well, the maps are not in use. */
__u32 stopped, running;

static __always_inline void result_count(enum stress_context ctx, enum stress_map map, long err)
{
	enum stress_result r = !err		 ? RES_OK :
			       err == -EDEADLK	 ? RES_EDEADLK :
			       err == -ETIMEDOUT ? RES_ETIMEDOUT :
			       err == -EBUSY	 ? RES_EBUSY :
						   RES_OTHER;

	__sync_fetch_and_add(&counts.n[ctx][map][r], 1);
}

static __always_inline void update_all(enum stress_context ctx)
{
	__u64 value = __sync_fetch_and_add(&draws, 1);
	__u32 key = value % KEYS, grow;
	struct lpm_key prefix = { .prefixlen = 16 + key, .addr = key };
	void *record;

	result_count(ctx, MAP_HASH, bpf_map_update_elem(&hash, &key, &value, BPF_ANY));
	result_count(ctx, MAP_LRU, bpf_map_update_elem(&lru, &key, &value, BPF_ANY));
	result_count(ctx, MAP_LRU_CPU, bpf_map_update_elem(&lru_cpu, &key, &value, BPF_ANY));
	result_count(ctx, MAP_LPM, bpf_map_update_elem(&lpm, &prefix, &value, BPF_ANY));
	grow = value % 4096;
	result_count(ctx, MAP_GROWING, bpf_map_update_elem(&growing, &grow, &value, BPF_ANY));
	record = bpf_ringbuf_reserve(&ringbuf, 64, 0);
	result_count(ctx, MAP_RINGBUF, record ? 0 : 1);
	if (record)
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	result_count(ctx, MAP_QUEUE, bpf_map_push_elem(&queue, &value, BPF_EXIST));
	if (value & 4096)
		bpf_map_delete_elem(&growing, &grow);
	if (key & 1)
		return;
	bpf_map_delete_elem(&hash, &key);
	bpf_map_delete_elem(&lru, &key);
	bpf_map_delete_elem(&lru_cpu, &key);
	bpf_map_delete_elem(&lpm, &prefix);
	bpf_map_pop_elem(&queue, &value);
}

static __always_inline void maps_hammer(enum stress_context ctx)
{
	__sync_fetch_and_add(&running, 1);
	if (!*(volatile __u32 *)&stopped)
		update_all(ctx);
	__sync_fetch_and_add(&running, -1);
}

SEC("tc")
int task(struct __sk_buff *ctx)
{
	maps_hammer(CTX_TASK);
	return 0;
}

SEC("perf_event")
int tick(void *ctx)
{
	maps_hammer(CTX_TICK);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch)
{
	maps_hammer(CTX_SWITCH);
	return 0;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(on_contention)
{
	maps_hammer(CTX_CONTENTION);
	return 0;
}

SEC("tp_btf/ipi_send_cpu")
int BPF_PROG(on_ipi)
{
	maps_hammer(CTX_IPI);
	return 0;
}

/* Runs with the locks of LRU lists held. */
SEC("?fentry/htab_lru_map_delete_node")
int BPF_PROG(on_evict)
{
	maps_hammer(CTX_EVICT);
	return 0;
}

/* For example, runs between taking a hash map's spare element and returning it. */
SEC("?fentry/bpf_obj_free_fields")
int BPF_PROG(on_free)
{
	maps_hammer(CTX_FREE);
	return 0;
}

SEC("?tp_btf/nmi_handler")
int BPF_PROG(on_nmi)
{
	maps_hammer(CTX_NMI);
	return 0;
}

char _license[] SEC("license") = "GPL";
