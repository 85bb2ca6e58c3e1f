// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Look-ups while resilient locks are held: elements of arrays, where the kernel allows it. */
#include "release_ooo.h"
#include "plain_values.h"

#define MAP(map_name, map_type)         \
	struct {                        \
		__uint(type, map_type); \
		__uint(max_entries, 1); \
		__type(key, __u32);     \
		__type(value, __u32);   \
	} map_name SEC(".maps")

MAP(array, BPF_MAP_TYPE_ARRAY);
MAP(hash, BPF_MAP_TYPE_HASH);
MAP(lru, BPF_MAP_TYPE_LRU_HASH);
MAP(percpu, BPF_MAP_TYPE_PERCPU_ARRAY);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, typeof(array));
} outer SEC(".maps") = { .values = { &array } };

static __always_inline int look_up(void *map)
{
	__u32 key = 0, *value;

	if (bpf_res_spin_lock(&lock_a))
		return -1;
	value = bpf_map_lookup_elem(map, &key);
	if (value)
		*value += 1;
	bpf_res_spin_unlock(&lock_a);
	return value ? 0 : -1;
}

SEC("?tc")
__needs(OOO)
__returns(0)
int in_array(struct __sk_buff *ctx)
{
	return look_up(&array);
}

SEC("?tc")
__refused(NO_CALLS)
int in_hash(struct __sk_buff *ctx)
{
	return look_up(&hash);
}

SEC("?tc")
__refused(NO_CALLS)
int in_lru(struct __sk_buff *ctx)
{
	return look_up(&lru);
}

SEC("?tc")
__refused(NO_CALLS)
int in_percpu_array(struct __sk_buff *ctx)
{
	return look_up(&percpu);
}

SEC("?tc")
__refused(NO_CALLS)
int in_array_of_maps(struct __sk_buff *ctx)
{
	return look_up(&outer);
}

/* The inner map is looked up before the lock is taken, only its element under the lock. */
SEC("?tc")
__needs(OOO)
__returns(0)
int in_inner_array(struct __sk_buff *ctx)
{
	__u32 key = 0;
	void *inner = bpf_map_lookup_elem(&outer, &key);

	return inner ? look_up(inner) : -1;
}

SEC("?tc")
__refused(NO_CALLS)
int no_map(struct __sk_buff *ctx)
{
	return look_up(ctx);
}

SEC("?tc")
__refused(NO_CALLS)
int under_spin_lock(struct __sk_buff *ctx)
{
	__u32 key = 0, *value;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	value = bpf_map_lookup_elem(&array, &key);
	bpf_spin_unlock(&v->lock);
	return !!value;
}

/* A resilient lock inside an older one. */
SEC("?tc")
__needs(OOO)
__refused(NO_CALLS)
int under_both(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct plain_locked *v = bpf_map_lookup_elem(&plain_values, &key);
	int err;

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	err = look_up(&array);
	bpf_spin_unlock(&v->lock);
	return err;
}

SEC("?tc")
__needs(OOO)
__refused("invalid mem access 'map_value_or_null'")
int unchecked(struct __sk_buff *ctx)
{
	__u32 key = 0, *value;

	if (bpf_res_spin_lock(&lock_a))
		return 0;
	value = bpf_map_lookup_elem(&array, &key);
	*value += 1;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

/* To the verifier a second look-up, under the lock, finds another element. */
SEC("?tc")
__needs(OOO)
__refused("bpf_res_spin_unlock of different lock")
int release_through_it(struct __sk_buff *ctx)
{
	struct locked_value *v = element_of(0), *again;

	if (!v || bpf_res_spin_lock(&v->lock))
		return 0;
	again = element_of(0);
	if (again)
		bpf_res_spin_unlock(&again->lock);
	else
		bpf_res_spin_unlock(&v->lock);
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(-35)
int same_lock_through_it(struct __sk_buff *ctx)
{
	struct locked_value *v = element_of(0), *again;
	int err = 0;

	if (!v || bpf_res_spin_lock(&v->lock))
		return -1;
	again = element_of(0);
	if (again) {
		err = bpf_res_spin_lock(&again->lock);
		if (!err)
			bpf_res_spin_unlock(&again->lock);
	}
	bpf_res_spin_unlock(&v->lock);
	return err;
}

SEC("?tc")
__needs(OOO)
__returns(3)
int hand_over_hand(struct __sk_buff *ctx)
{
	struct locked_value *at = element_of(0), *next;
	int i, steps = 0;

	if (!at || bpf_res_spin_lock(&at->lock))
		return -1;
	for (i = 1; i < 10 && may_loop; i++) {
		next = element_of((__u32)i);
		if (!next || bpf_res_spin_lock(&next->lock))
			break;
		bpf_res_spin_unlock_ooo(&at->lock);
		at = next;
		steps++;
	}
	bpf_res_spin_unlock(&at->lock);
	return steps;
}

/* Only the last node is released. */
SEC("?tc")
__needs(OOO)
__refused("BPF_EXIT instruction in main prog cannot be used inside bpf_spin_lock-ed region")
int hand_over_nothing(struct __sk_buff *ctx)
{
	struct locked_value *at = element_of(0), *next;
	int i;

	if (!at || bpf_res_spin_lock(&at->lock))
		return 0;
	for (i = 1; i < 10 && may_loop; i++) {
		next = element_of((__u32)i);
		if (!next || bpf_res_spin_lock(&next->lock))
			break;
		at = next;
	}
	bpf_res_spin_unlock(&at->lock);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
