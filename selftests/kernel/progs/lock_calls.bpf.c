// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls that a program may make while it holds a lock. */
#include "locks.h"
#include "plain_values.h"

/* Some program types may not call the kfunc at all. */
#define NO_KFUNC "calling kernel function bpf_res_spin_lock is not allowed"

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_rcu_read_lock(void) __weak __ksym;
extern void bpf_rcu_read_unlock(void) __weak __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} hash SEC(".maps");

__u64 sink;

#define UNDER_LOCK(call)                        \
	do {                                    \
		if (bpf_res_spin_lock(&lock_a)) \
			return 0;               \
		call;                           \
		bpf_res_spin_unlock(&lock_a);   \
		return 0;                       \
	} while (0)

SEC("?tc")
__refused(NO_CALLS)
int clock(struct __sk_buff *ctx)
{
	UNDER_LOCK(sink = bpf_ktime_get_ns());
}

/* Elements of an array can be looked up on the patched 6.12: lock_lookup.bpf.c. */
SEC("?tc")
__refused(NO_CALLS)
__returns(0)
int look_up(struct __sk_buff *ctx)
{
	UNDER_LOCK(sink = !!element_of(0));
}

SEC("?tc")
__refused(NO_CALLS)
int map_update(struct __sk_buff *ctx)
{
	__u32 key = 0;

	UNDER_LOCK(bpf_map_update_elem(&hash, &key, &key, BPF_ANY));
}

SEC("?tc")
__refused(NO_CALLS)
int print(struct __sk_buff *ctx)
{
	UNDER_LOCK(bpf_printk("held"));
}

static long do_nothing(__u32 index, void *ctx)
{
	return 0;
}

SEC("?tc")
__refused(NO_CALLS)
int callback_loop(struct __sk_buff *ctx)
{
	UNDER_LOCK(bpf_loop(4, do_nothing, NULL, 0));
}

__noinline int global_sum(int a)
{
	return a + (int)sink;
}

SEC("?tc")
__refused("global " NO_CALLS)
int global_function(struct __sk_buff *ctx)
{
	UNDER_LOCK(sink = global_sum(1));
}

static __noinline int static_sum(int a)
{
	return a + (int)sink;
}

SEC("?tc")
__returns(0)
int static_function(struct __sk_buff *ctx)
{
	UNDER_LOCK(sink = static_sum(1));
}

SEC("?tc")
__refused(NO_CALLS)
int unrelated_kfunc(struct __sk_buff *ctx)
{
	UNDER_LOCK({
		bpf_rcu_read_lock();
		bpf_rcu_read_unlock();
	});
}

SEC("?syscall")
__refused(NO_CALLS)
int sleepable_helper(void *ctx)
{
	char byte;

	UNDER_LOCK(bpf_copy_from_user(&byte, sizeof(byte), NULL));
}

/* The kernel's older lock: no helper may be called under either lock, so neither nests. */
SEC("?tc")
__refused(NO_CALLS)
int spin_lock_inside(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v)
		return 0;
	UNDER_LOCK({
		bpf_spin_lock(&v->lock);
		bpf_spin_unlock(&v->lock);
	});
}

SEC("?tc")
__returns(45)
int number_iterator(struct __sk_buff *ctx)
{
	struct bpf_iter_num it;
	int *i, sum = 0;

	if (bpf_res_spin_lock(&lock_a))
		return -1;
	bpf_iter_num_new(&it, 0, 10);
	while ((i = bpf_iter_num_next(&it)))
		sum += *i;
	bpf_iter_num_destroy(&it);
	bpf_res_spin_unlock(&lock_a);
	return sum;
}

SEC("?tc")
__returns(50)
int bounded_loop(struct __sk_buff *ctx)
{
	int i, turns = 0;

	if (bpf_res_spin_lock(&lock_a))
		return -1;
	for (i = 0; i < 50 && may_loop; i++)
		turns++;
	bpf_res_spin_unlock(&lock_a);
	return turns;
}

SEC("?tc")
__returns(0)
int atomics(struct __sk_buff *ctx)
{
	UNDER_LOCK(__sync_fetch_and_add(&sink, 1));
}

static long lock_in_callback(__u32 index, void *ctx)
{
	int err = bpf_res_spin_lock(&lock_a);

	if (err)
		return 1;
	(*(int *)ctx)++;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__returns(10)
int callback_that_locks(struct __sk_buff *ctx)
{
	int turns = 0;

	bpf_loop(10, lock_in_callback, &turns, 0);
	return turns;
}

static long leak_in_callback(__u32 index, void *ctx)
{
	return bpf_res_spin_lock(&lock_a) ? 1 : 0;
}

/* The callback ends with the lock held: the next bpf_loop turn is a call under a lock. */
SEC("?tc")
__refused_re(NO_CALLS "|AA deadlock detected")
int callback_that_leaks(struct __sk_buff *ctx)
{
	bpf_loop(10, leak_in_callback, NULL, 0);
	return 0;
}

SEC("?socket")
__refused_re("socket filter progs cannot use bpf_(res_)?spin_lock|" NO_KFUNC)
int socket_filter(void *ctx)
{
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?xdp")
__returns(2)
int xdp_program(struct xdp_md *ctx)
{
	if (bpf_res_spin_lock(&lock_a))
		return XDP_ABORTED;
	bpf_res_spin_unlock(&lock_a);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
