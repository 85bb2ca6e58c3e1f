// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locks in programs that may interrupt anything: kprobe, tracepoint, raw_tp, perf_event. Some
 * kernels refuse all locks there, others accept resilient ones.
 */
#include "locks.h"
#include "graph.h"

#define NO_LOCKS                                         \
	"tracing progs cannot use bpf_(res_)?spin_lock|" \
	"calling kernel function bpf_res_spin_lock(_irqsave)? is not allowed"
#define VERDICT __accepted_if("tracing_locks") __refused_re(NO_LOCKS)

#define TAKE_LOCK                             \
	if (!bpf_res_spin_lock(&lock_a))      \
		bpf_res_spin_unlock(&lock_a); \
	return 0

SEC("?kprobe")
VERDICT
int kprobe(void *ctx)
{
	TAKE_LOCK;
}

SEC("?tracepoint")
VERDICT
int tracepoint(void *ctx)
{
	TAKE_LOCK;
}

SEC("?perf_event")
VERDICT
int perf_event(void *ctx)
{
	TAKE_LOCK;
}

SEC("?raw_tp")
VERDICT
int irqsave_in_a_value(void *ctx)
{
	struct locked_value *v = element_of(0);
	unsigned long flags;

	if (v && !bpf_res_spin_lock_irqsave(&v->lock, &flags))
		bpf_res_spin_unlock_irqrestore(&v->lock, &flags);
	return 0;
}

struct plain_value {
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct plain_value);
} plain_values SEC(".maps");

/* bpf_spin_lock has no way out of a deadlock: no kernel allows it in these programs. */
SEC("?kprobe")
__refused("tracing progs cannot use bpf_spin_lock")
int plain_lock(void *ctx)
{
	__u32 key = 0;
	struct plain_value *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	bpf_spin_unlock(&v->lock);
	return 0;
}

struct item {
	struct bpf_list_node link;
};

/* So that the object's BTF contains the type. */
struct item *no_item;

struct listed_value {
	struct bpf_res_spin_lock lock;
	struct bpf_list_head head __contains(item, link);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct listed_value);
} lists SEC(".maps");

SEC("?kprobe")
__refused("tracing progs cannot use bpf_{list_head,rb_root}")
int lock_of_a_list(void *ctx)
{
	__u32 key = 0;
	struct listed_value *v = bpf_map_lookup_elem(&lists, &key);

	if (v && !bpf_res_spin_lock(&v->lock))
		bpf_res_spin_unlock(&v->lock);
	return 0;
}

/* What prog_tests/tracing.c runs */

__u32 target_tid, held;
int second;
__u64 edeadlk, other;

SEC("?raw_tp")
int aa(void *ctx)
{
	__u32 key = 0, again = opaque(key);
	struct locked_value *v = element_of(key), *w = element_of(again);

	if (!v || !w || bpf_res_spin_lock(&v->lock))
		return 0;
	second = bpf_res_spin_lock(&w->lock);
	if (!second)
		bpf_res_spin_unlock(&w->lock);
	bpf_res_spin_unlock(&v->lock);
	return 0;
}

/* Runs in an interrupt, on top of hold(). */
SEC("?perf_event")
int want_held_lock(void *ctx)
{
	int err;

	if ((__u32)bpf_get_current_pid_tgid() != target_tid || !*(volatile __u32 *)&held)
		return 0;
	err = bpf_res_spin_lock(&lock_b);
	if (!err)
		bpf_res_spin_unlock(&lock_b);
	if (err == -EDEADLK)
		edeadlk++;
	else
		other++;
	return 0;
}

SEC("?tc")
int hold(struct __sk_buff *ctx)
{
	if (bpf_res_spin_lock(&lock_b))
		return -1;
	*(volatile __u32 *)&held = 1;
	while (may_loop) {
		if (*(volatile __u64 *)&edeadlk || *(volatile __u64 *)&other)
			break;
	}
	*(volatile __u32 *)&held = 0;
	bpf_res_spin_unlock(&lock_b);
	return 0;
}

char _license[] SEC("license") = "GPL";
