// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tell user space at which kernel addresses maps keep their values, elements and own locks. */
#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "mapaddr.h"
#include "own.bpf.h"

#define NO_PREALLOC (1U << 0) /* BPF_F_NO_PREALLOC */

const volatile __u32 nr_cpus;
__u32 ruler_id;

/* The distances of its copies are those of every per-CPU pointer. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} ruler SEC(".maps");

/* Our own view of a preallocated element: the fields between differ from kernel to kernel. */
struct htab_elem___key {
	char key[0];
} __attribute__((preserve_access_index));

struct bpf_ringbuf_map___addr {
	struct bpf_ringbuf *rb;
} __attribute__((preserve_access_index));

/* Kernels before 6.9 have none. */
struct bpf_arena___addr {
	__u64 user_vm_start, user_vm_end;
} __attribute__((preserve_access_index));

#define MAP_TYPE_ARENA 33

static void mapaddr_emit(struct seq_file *seq, struct mapaddr *r, __u32 part, const void *base,
			 __u64 size)
{
	r->part = part;
	r->base = (__u64)base;
	r->size = size;
	if (base && size)
		bpf_seq_write(seq, r, sizeof(*r));
}

static void array_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	struct bpf_array *array = (void *)map;

	r->stride = BPF_CORE_READ(array, elem_size);
	mapaddr_emit(seq, r, MAPADDR_VALUES,
		     (void *)array + bpf_core_field_offset(struct bpf_array, value),
		     (__u64)r->stride * map->max_entries);
}

static void ruler_part(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	const void *pptrs = (void *)map + bpf_core_field_offset(struct bpf_array, pptrs);
	__u64 pptr = 0;

	if (map->id != ruler_id)
		return;
	bpf_probe_read_kernel(&pptr, sizeof(pptr), pptrs);
	mapaddr_emit(seq, r, MAPADDR_RULER, (void *)pptr, sizeof(__u64));
}

static void free_lists(struct seq_file *seq, struct mapaddr *r, const void *lists)
{
	mapaddr_emit(seq, r, MAPADDR_FREE_LISTS, lists,
		     bpf_core_type_size(struct pcpu_freelist_head));
}

static void lru_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_htab *htab)
{
	if (BPF_CORE_READ(htab, lru.percpu))
		mapaddr_emit(seq, r, MAPADDR_CPU_LISTS, BPF_CORE_READ(htab, lru.percpu_lru),
			     bpf_core_type_size(struct bpf_lru_list));
	else
		mapaddr_emit(seq, r, MAPADDR_CPU_LISTS,
			     BPF_CORE_READ(htab, lru.common_lru.local_list),
			     bpf_core_type_size(struct bpf_lru_locallist));
}

static bool is_lru(__u32 type)
{
	return type == BPF_MAP_TYPE_LRU_HASH || type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static void htab_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	struct bpf_htab *htab = (void *)map;
	__u32 spare;

	r->key_off = bpf_core_field_offset(struct htab_elem___key, key);
	r->value_off = r->key_off + ((r->key_size + 7) & ~7U);
	r->sparse = !!(map->map_flags & NO_PREALLOC);
	r->stride = bpf_core_type_size(struct bucket);
	mapaddr_emit(seq, r, MAPADDR_BUCKETS, BPF_CORE_READ(htab, buckets),
		     (__u64)r->stride * BPF_CORE_READ(htab, n_buckets));
	r->stride = BPF_CORE_READ(htab, elem_size);
	/* A plain hash has one spare element per CPU, which change places with those in use. */
	spare = r->type == BPF_MAP_TYPE_HASH ? nr_cpus : 0;
	if (!r->sparse)
		mapaddr_emit(seq, r, MAPADDR_ELEMS, BPF_CORE_READ(htab, elems),
			     (__u64)r->stride * (map->max_entries + spare));
	mapaddr_emit(seq, r, MAPADDR_SELF, htab, bpf_core_type_size(struct bpf_htab));
	if (is_lru(r->type))
		lru_parts(seq, r, htab);
	else if (!r->sparse)
		free_lists(seq, r, BPF_CORE_READ(htab, freelist.freelist));
}

static void stack_trace_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	struct bpf_stack_map *smap = (void *)map;

	mapaddr_emit(seq, r, MAPADDR_SELF, smap, bpf_core_type_size(struct bpf_stack_map));
	free_lists(seq, r, BPF_CORE_READ(smap, freelist.freelist));
}

static void ringbuf_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	struct bpf_ringbuf_map___addr *rmap = (void *)map;

	mapaddr_emit(seq, r, MAPADDR_RINGBUF, BPF_CORE_READ(rmap, rb),
		     bpf_core_type_size(struct bpf_ringbuf));
}

/* The address is zero until a process maps the arena, unless its author has chosen one. */
static void arena_parts(struct seq_file *seq, struct mapaddr *r, struct bpf_map *map)
{
	struct bpf_arena___addr *arena = (void *)map;
	__u64 start;

	if (!bpf_core_field_exists(arena->user_vm_end))
		return;
	start = BPF_CORE_READ(arena, user_vm_start);
	mapaddr_emit(seq, r, MAPADDR_ARENA, (void *)start,
		     BPF_CORE_READ(arena, user_vm_end) - start);
}

SEC("iter/bpf_map")
int rqspin_maps(struct bpf_iter__bpf_map *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct bpf_map *map = ctx->map;
	struct mapaddr r = {};

	if (!map)
		return 0;
	r.map_id = map->id;
	r.type = map->map_type;
	r.key_size = map->key_size;
	r.value_size = map->value_size;
	bpf_probe_read_kernel(r.name, sizeof(r.name), map->name);
	switch (r.type) {
	case BPF_MAP_TYPE_ARRAY:
		array_parts(seq, &r, map);
		break;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		ruler_part(seq, &r, map);
		break;
	case BPF_MAP_TYPE_STACK_TRACE:
		stack_trace_parts(seq, &r, map);
		break;
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		htab_parts(seq, &r, map);
		break;
	case BPF_MAP_TYPE_LPM_TRIE:
		mapaddr_emit(seq, &r, MAPADDR_SELF, map, bpf_core_type_size(struct lpm_trie));
		break;
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
		mapaddr_emit(seq, &r, MAPADDR_SELF, map,
			     bpf_core_type_size(struct bpf_queue_stack));
		break;
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		ringbuf_parts(seq, &r, map);
		break;
	case MAP_TYPE_ARENA:
		arena_parts(seq, &r, map);
		break;
	}
	return 0;
}

__u32 measured_cpu;
__u64 measured_at; /* that CPU's copy of the ruler; 0: the kernel does not tell */

SEC("syscall")
int rqspin_measure(void *ctx)
{
	__u32 zero = 0;
	void *copy = NULL;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_map_lookup_percpu_elem))
		copy = bpf_map_lookup_percpu_elem(&ruler, &zero, measured_cpu);
	measured_at = copy ? (__u64)copy : 0;
	return 0;
}

/* Addresses of the values of elements that are not preallocated. Some machines refuse it. */
SEC("?iter/bpf_map_elem")
int rqspin_elems(struct bpf_iter__bpf_map_elem *ctx)
{
	__u64 value = (__u64)ctx->value;

	if (value)
		bpf_seq_write(ctx->meta->seq, &value, sizeof(value));
	return 0;
}

/* The key of an element, read for user space: in address, out bytes. */
struct {
	__u64 addr;
	__u32 size;
	__u32 err;
	__u8 bytes[512];
} key_request;

SEC("syscall")
int rqspin_read_key(void *ctx)
{
	__u32 size = key_request.size;

	if (size > sizeof(key_request.bytes))
		size = sizeof(key_request.bytes);
	key_request.err = -bpf_probe_read_kernel(key_request.bytes, size, (void *)key_request.addr);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
