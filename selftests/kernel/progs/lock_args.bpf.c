// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The argument of a lock call, and the check of its result. */
#include "locks.h"
#include "graph.h"

struct no_lock {
	__u64 count;
	__u64 more[8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct no_lock);
} plain_values SEC(".maps");

SEC("?tc")
__refused_re("(point|pointer) to map value or allocated object")
int scalar_argument(struct __sk_buff *ctx)
{
	int err = bpf_res_spin_lock((void *)(unsigned long)ctx->len);

	if (!err)
		bpf_res_spin_unlock((void *)(unsigned long)ctx->len);
	return 0;
}

SEC("?tc")
__refused_re("(point|pointer) to map value or allocated object")
int stack_argument(struct __sk_buff *ctx)
{
	struct bpf_res_spin_lock lock = {};

	if (!bpf_res_spin_lock(&lock))
		bpf_res_spin_unlock(&lock);
	return 0;
}

SEC("?tc")
__refused_re("(point|pointer) to map value or allocated object")
int packet_argument(struct __sk_buff *ctx)
{
	void *data = (void *)(long)ctx->data;

	if (data + 64 > (void *)(long)ctx->data_end)
		return 0;
	if (!bpf_res_spin_lock(data))
		bpf_res_spin_unlock(data);
	return 0;
}

/* A pointer read from a kernel object is no lock, even if it is cast to one. */
SEC("?tc")
__refused_re("(point|pointer) to map value or allocated object")
int kernel_pointer_argument(struct __sk_buff *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!bpf_res_spin_lock((void *)task->mm))
		bpf_res_spin_unlock((void *)task->mm);
	return 0;
}

SEC("?tc")
__refused_re("(point|pointer) to map value or allocated object|Possibly NULL pointer passed")
int unchecked_look_up(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(ctx->len); /* a constant key is known to exist */

	if (!bpf_res_spin_lock(&a->lock))
		bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("off 4 doesn't point to 'struct bpf_res_spin_lock' that is at 0")
int wrong_offset(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a && !bpf_res_spin_lock((void *)&a->count))
		bpf_res_spin_unlock((void *)&a->count);
	return 0;
}

SEC("?tc")
__refused_re("doesn't have constant offset. bpf_res_spin_lock has to be at the constant offset")
int variable_offset(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);
	__u64 off = opaque(ctx->len) & 4;

	if (a && !bpf_res_spin_lock((void *)a + off))
		bpf_res_spin_unlock((void *)a + off);
	return 0;
}

SEC("?tc")
__refused("map 'plain_values' has no valid bpf_res_spin_lock")
int map_without_lock(struct __sk_buff *ctx)
{
	__u32 key = 0;
	struct no_lock *v = bpf_map_lookup_elem(&plain_values, &key);

	if (v && !bpf_res_spin_lock((void *)v))
		bpf_res_spin_unlock((void *)v);
	return 0;
}

SEC("?tc")
__refused("local 'kptr' has no valid bpf_res_spin_lock")
int object_without_lock(struct __sk_buff *ctx)
{
	struct no_lock *o = bpf_obj_new(struct no_lock);

	if (!o)
		return 0;
	if (!bpf_res_spin_lock((void *)o))
		bpf_res_spin_unlock((void *)o);
	bpf_obj_drop(o);
	return 0;
}

SEC("?tc")
__refused_re("(unlock is missing|cannot be used inside bpf_(res_)?spin_lock)")
int result_ignored(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a)
		bpf_res_spin_lock(&a->lock);
	return 0;
}

/* On the failure branch nothing is held, so there is nothing to release. */
SEC("?tc")
__refused("bpf_res_spin_unlock without taking a lock")
int unlock_after_failure(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (!a)
		return 0;
	bpf_res_spin_lock(&a->lock);
	bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock without taking a lock")
int unlock_alone(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a)
		bpf_res_spin_unlock(&a->lock);
	return 0;
}

SEC("?tc")
__refused("bpf_res_spin_unlock without taking a lock")
int unlock_twice(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (!a || bpf_res_spin_lock(&a->lock))
		return 0;
	bpf_res_spin_unlock(&a->lock);
	bpf_res_spin_unlock(&a->lock);
	return 0;
}

/* The word belongs to the kernel: neither read nor written by the program. */
SEC("?tc")
__refused("bpf_res_spin_lock cannot be accessed directly")
int read_the_word(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	return a ? *(volatile __u32 *)&a->lock : 0;
}

SEC("?tc")
__refused("bpf_res_spin_lock cannot be accessed directly")
int write_the_word(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);

	if (a)
		*(volatile __u32 *)&a->lock = 0;
	return 0;
}

SEC("?tc")
__returns(7)
int data_beside_the_lock(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);
	int seen;

	if (!a || bpf_res_spin_lock(&a->lock))
		return -1;
	a->count = 7;
	seen = a->count;
	bpf_res_spin_unlock(&a->lock);
	return seen;
}

SEC("?tc")
__returns(0)
int global_lock(struct __sk_buff *ctx)
{
	int err = bpf_res_spin_lock(&lock_a);

	if (!err)
		bpf_res_spin_unlock(&lock_a);
	return err;
}

/* The verifier knows that the result is 0 or a negative errno. */
SEC("?tc")
__returns(0)
int result_range(struct __sk_buff *ctx)
{
	struct locked_value *a = element_of(0);
	int err;

	if (!a)
		return -1;
	err = bpf_res_spin_lock(&a->lock);
	if (err < 0)
		return 1;
	bpf_res_spin_unlock(&a->lock);
	return err;
}

char _license[] SEC("license") = "Dual BSD/GPL";
