// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cost of a deadlock for the program that runs into it, measured by the program
 * itself: from just before the first lock until just after the last unlock. User
 * space clears "ready" and "holding" between two rounds.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "../progs/may_loop.h"
#include "latency.h"

struct locked {
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked);
} locks SEC(".maps");

struct bpf_res_spin_lock lock_a __hidden SEC(".data.lock_a");
struct bpf_res_spin_lock lock_b __hidden SEC(".data.lock_b");

struct latency_side sides[2];
__u32 ready, holding;

/* Not inlined: each call has its own budget of turns. Returns true once both are here. */
static __noinline bool sides_meet(__u32 *here)
{
	__sync_fetch_and_add(here, 1);
	while (may_loop) {
		if (*(volatile __u32 *)here >= 2)
			return true;
	}
	return false;
}

SEC("tc")
int aa(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct locked *a = bpf_map_lookup_elem(&locks, &key);
	struct locked *b = bpf_map_lookup_elem(&locks, &key);
	int err;

	if (!a || !b)
		return 1;
	sides[0].begin_ns = bpf_ktime_get_ns();
	if (res_spin_lock(&a->lock))
		return 1;
	err = res_spin_lock(&b->lock);
	if (!err)
		res_spin_unlock(&b->lock);
	res_spin_unlock(&a->lock);
	sides[0].end_ns = bpf_ktime_get_ns();
	sides[0].err = err;
	sides[0].met = 1;
	return 0;
}

static __always_inline int side_abba(struct latency_side *side, struct bpf_res_spin_lock *first,
				     struct bpf_res_spin_lock *second)
{
	int err;

	side->met = 0;
	if (!sides_meet(&ready))
		return 0;
	side->begin_ns = bpf_ktime_get_ns();
	if (res_spin_lock(first))
		return 1;
	if (!sides_meet(&holding)) {
		res_spin_unlock(first);
		return 0;
	}
	err = res_spin_lock(second);
	if (!err)
		res_spin_unlock(second);
	res_spin_unlock(first);
	side->end_ns = bpf_ktime_get_ns();
	side->err = err;
	side->met = 1;
	return 0;
}

SEC("tc")
int abba_0(struct __sk_buff *ctx)
{
	return side_abba(&sides[0], &lock_a, &lock_b);
}

SEC("tc")
int abba_1(struct __sk_buff *ctx)
{
	return side_abba(&sides[1], &lock_b, &lock_a);
}

char _license[] SEC("license") = "Dual BSD/GPL";
