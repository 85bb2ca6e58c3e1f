// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waits for resilient locks, from the kernel's contention tracepoints. */
#include <vmlinux.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "own.bpf.h"
#include "slowpath.bpf.h"
#include "waits.h"

#define PROBES 8
#define LEVELS 65536 /* of cgroups: no tree is so deep */

/* A table that is never emptied has one half. */
const volatile __u32 halves = 1;

const volatile bool by_cgroup;
const volatile __u64 only_cgroup; /* and those below it; 0: all */

__u32 half; /* that is written now */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct waits_entry);
} entries SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct waits_cpu);
} cpus SEC(".maps");

static __always_inline struct waits_cpu *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* Both ask the current task, also in interrupts and NMIs, and take no lock. */
static __always_inline __u64 cgroup_now(void)
{
	return by_cgroup ? bpf_get_current_cgroup_id() : 0;
}

static __always_inline bool is_asked(void)
{
	__u64 id = 0;
	__u32 i;

	if (!only_cgroup)
		return true;
	bpf_for(i, 0, LEVELS) {
		id = bpf_get_current_ancestor_cgroup_id(i);
		/* 0: the level before was the task's own cgroup. */
		if (!id || id == only_cgroup)
			break;
	}
	return id == only_cgroup;
}

SEC("tp_btf/contention_begin")
int BPF_PROG(rqspin_wait, void *lock, unsigned int flags)
{
	struct waits_cpu *c = flags == SLOWPATH_SPIN ? this_cpu() : NULL;
	struct waits_now *now;
	__u64 depth;

	if (!c || !is_asked())
		return 0;
	depth = c->depth;
	/* Ends were missed: begin anew. */
	if (depth >= WAITS_DEPTH) {
		__sync_fetch_and_add(&c->dropped, depth);
		c->depth = depth = 0;
	}
	now = &c->now[depth & (WAITS_DEPTH - 1)];
	__builtin_memset(now->ips, 0, sizeof(now->ips));
	bpf_get_stack(ctx, now->ips, sizeof(now->ips), 0);
	if (!slowpath_on(now->ips))
		return 0;
	now->lock = (__u64)lock;
	now->cgroup = cgroup_now();
	now->start_ns = bpf_ktime_get_ns();
	c->depth = depth + 1;
	return 0;
}

static __always_inline __u64 key_of(const struct waits_now *now)
{
	__u64 key = now->lock ^ now->cgroup * 0xd6e8feb86659fd93ULL;

	for (int i = 0; i < WAITS_FRAMES; i++) {
		key = (key ^ now->ips[i]) * 0x9e3779b97f4a7c15ULL;
		key ^= key >> 29;
	}
	return key | 1;
}

/* NULL: there is no room. Atomic, as interrupts of this CPU write as well. */
static __always_inline struct waits_entry *entry_of(const struct waits_now *now,
						    struct waits_half *h, __u32 nth)
{
	__u32 base = (bpf_get_smp_processor_id() * halves + nth) * WAITS_ENTRIES, i;
	__u64 key = key_of(now);

	bpf_for(i, 0, PROBES) {
		__u32 slot = base + (((__u32)(key >> 32) + i) & (WAITS_ENTRIES - 1));
		struct waits_entry *e = bpf_map_lookup_elem(&entries, &slot);

		if (!e)
			break;
		if (!e->key && !__sync_val_compare_and_swap(&e->key, 0, key)) {
			e->lock = now->lock;
			e->cgroup = now->cgroup;
			e->when_ns = now->start_ns;
			__builtin_memcpy(e->ips, now->ips, sizeof(e->ips));
			__sync_lock_test_and_set(&e->ready, 1);
			__sync_fetch_and_add(&h->used, 1);
		}
		if (e->key == key)
			return e;
	}
	return NULL;
}

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 n = 0;

	for (int shift = 32; shift; shift >>= 1)
		if (ns >> shift) {
			ns >>= shift;
			n += shift;
		}
	return n < WAITS_BUCKETS ? n : WAITS_BUCKETS - 1;
}

static __always_inline void sum_add(struct waits_sum *s, __u64 ns, int ret)
{
	__u64 max;
	__u32 i;

	__sync_fetch_and_add(&s->count, 1);
	__sync_fetch_and_add(&s->failed, ret ? 1 : 0);
	__sync_fetch_and_add(&s->total_ns, ns);
	__sync_fetch_and_add(&s->hist[bucket_of(ns) % WAITS_BUCKETS], 1);
	bpf_for(i, 0, PROBES) {
		max = s->max_ns;
		if (max >= ns || __sync_val_compare_and_swap(&s->max_ns, max, ns) == max)
			break;
	}
}

/* An exchange is a full barrier; on arm64 an atomic add whose result is not used is none. */
static __always_inline void order_all(struct waits_cpu *c)
{
	__sync_lock_test_and_set(&c->order, 1);
}

/*
 * User space turns to the other half, and empties this one as soon as it has seen each CPU without
 * a busy program: one that comes later finds the new half. Both sides need a full barrier between
 * the two, and here what was written must be there before the program is no longer busy.
 */
static __always_inline void waits_add(struct waits_cpu *c, const struct waits_now *now, int ret)
{
	__u64 ns = bpf_ktime_get_ns() - now->start_ns;
	struct waits_entry *e;
	struct waits_half *h;
	__u32 nth;

	__sync_fetch_and_add(&c->busy, 1);
	order_all(c);
	nth = *(volatile __u32 *)&half & (WAITS_HALVES - 1);
	h = &c->half[nth];
	e = entry_of(now, h, nth);
	sum_add(e ? &e->sum : &h->others, ns, ret);
	order_all(c);
	__sync_fetch_and_add(&c->busy, -1);
}

SEC("tp_btf/contention_end")
int BPF_PROG(rqspin_waited, void *lock, int ret)
{
	struct waits_cpu *c = this_cpu();
	__u64 depth = c ? c->depth : 0;
	struct waits_now *now;

	if (!depth || depth > WAITS_DEPTH)
		return 0;
	now = &c->now[(depth - 1) & (WAITS_DEPTH - 1)];
	/* A wait of another cgroup has no entry; an old one whose end was missed may have one. */
	if (now->lock != (__u64)lock || !is_asked())
		return 0;
	waits_add(c, now, ret);
	c->depth = depth - 1;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
