// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Iterators over maps, which hand out values as plain memory; see prog_tests/map_iter.c. */
#include "test_kfuncs.h"

struct with_res_lock {
	struct bpf_res_spin_lock lock;
	__u32 count;
};

struct with_plain_lock {
	struct bpf_spin_lock lock;
	__u32 count;
};

struct with_pointer {
	struct task_struct __attribute__((btf_type_tag("kptr"))) * task;
};

struct with_data {
	__u64 count;
};

#define MAP(name, map_type, value_type)    \
	struct {                           \
		__uint(type, map_type);    \
		__uint(max_entries, 2);    \
		__type(key, __u32);        \
		__type(value, value_type); \
	} name SEC(".maps")

MAP(res_array, BPF_MAP_TYPE_ARRAY, struct with_res_lock);
MAP(res_hash, BPF_MAP_TYPE_HASH, struct with_res_lock);
MAP(plain_hash, BPF_MAP_TYPE_HASH, struct with_plain_lock);
MAP(pointer_hash, BPF_MAP_TYPE_HASH, struct with_pointer);
MAP(pointer_percpu, BPF_MAP_TYPE_PERCPU_HASH, struct with_pointer);
MAP(data_hash, BPF_MAP_TYPE_HASH, struct with_data);

#define STORAGE(name, value_type)                      \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_SK_STORAGE); \
		__uint(map_flags, BPF_F_NO_PREALLOC);  \
		__type(key, int);                      \
		__type(value, value_type);             \
	} name SEC(".maps")

STORAGE(lock_storage, struct with_plain_lock);
STORAGE(data_storage, struct with_data);

__u64 sum;

SEC("iter/bpf_map_elem")
int writer(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		*value = 7;
	return 0;
}

SEC("iter/bpf_map_elem")
int reader(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		sum += *value;
	return 0;
}

/* Reads behind the end of the values of all these maps. */
SEC("iter/bpf_map_elem")
int far_reader(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		sum += value[100];
	return 0;
}

/* Writes by a helper instead of a store. */
SEC("iter/bpf_map_elem")
int helper_writer(struct bpf_iter__bpf_map_elem *ctx)
{
	void *value = ctx->value;

	if (value)
		bpf_probe_read_kernel(value, 8, ctx->map);
	return 0;
}

static const char text[] = "AAAAAAA";

SEC("iter/bpf_map_elem")
int text_writer(struct bpf_iter__bpf_map_elem *ctx)
{
	void *value = ctx->value;

	if (value)
		bpf_snprintf(value, 8, text, NULL, 0);
	return 0;
}

SEC("iter/bpf_map_elem")
int path_writer(struct bpf_iter__bpf_map_elem *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	void *value = ctx->value;

	if (value && task->mm && task->mm->exe_file)
		bpf_d_path((struct path *)&task->mm->exe_file->f_path, value, 8);
	return 0;
}

SEC("iter/bpf_map_elem")
int type_writer(struct bpf_iter__bpf_map_elem *ctx)
{
	static struct btf_ptr ptr;
	void *value = ctx->value;

	if (value)
		bpf_snprintf_btf(value, 8, &ptr, sizeof(ptr), 0);
	return 0;
}

/* Programs that only read. */
SEC("iter/bpf_map_elem")
int text_reader(struct bpf_iter__bpf_map_elem *ctx)
{
	void *value = ctx->value;

	if (value)
		bpf_seq_write(ctx->meta->seq, value, 8);
	return 0;
}

/* Because of the name and the arguments, an extension of this function passes as an iterator. */
__noinline int bpf_iter_bpf_map_elem(struct bpf_iter__bpf_map_elem *ctx __arg_ctx,
				     struct with_data *map, struct with_data *key,
				     struct with_data *value)
{
	asm volatile("" ::"r"(ctx));
	return (map ? map->count : 0) + (key ? key->count : 0) + (value ? value->count : 0);
}

SEC("iter/bpf_map_elem")
int extended(struct bpf_iter__bpf_map_elem *ctx)
{
	struct with_data none = {};

	return bpf_iter_bpf_map_elem(ctx, &none, &none, &none) & 1;
}

SEC("iter/bpf_map_elem")
int atomic_writer(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		__sync_fetch_and_add(value, 1);
	return 0;
}

SEC("iter/bpf_sk_storage_map")
int storage_writer(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		*value = 7;
	return 0;
}

SEC("iter/bpf_sk_storage_map")
int storage_reader(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	__u64 *value = ctx->value;

	if (value)
		sum += *value;
	return 0;
}

/* Never loaded: it uses the pointer, or the object would lack the type that it points to. */
SEC("?tc")
int task_pid(struct __sk_buff *ctx)
{
	struct with_pointer *v;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&pointer_hash, &key);
	return v && v->task ? v->task->pid : 0;
}

char _license[] SEC("license") = "GPL";
