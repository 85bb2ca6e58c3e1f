// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "check/refs.h"
#include "check/sizes.h"

#define ELEMENTS     64
#define BYTES_MAX    (64ULL << 20) /* of all elements */
#define INNER_VALUE  4096
#define STACK_FRAMES 127
#define ENOUGH	     1024	  /* elements of a map that would be too large */
#define MEMORY_MAX   (64U << 20)  /* bytes, of one map */
#define MEMORY_NAMED (512U << 20) /* at most, for keys that programs name */
#define ELEMENT_COST 64		  /* besides key and value, of a hash */

/* The kernel or libbpf sets the size of these types, or they must have none. */
static bool has_no_size(enum bpf_map_type type)
{
	const char *name = libbpf_bpf_map_type_str(type);

	return !name || strstr(name, "storage") || type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ||
	       type == BPF_MAP_TYPE_STRUCT_OPS;
}

static __u32 elements_default(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return sysconf(_SC_PAGESIZE);
	case BPF_MAP_TYPE_CPUMAP:
		return libbpf_num_possible_cpus();
	default:
		return ELEMENTS;
	}
}

/*
 * Are the elements allocated with the map? Others are filled on demand, or are pages: sizes_bound()
 * would save nothing.
 */
static bool is_allocated(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
		return true;
	default:
		return false;
	}
}

/* Programs are only loaded to be read: their maps need no room for data. */
static bool is_huge(const struct bpf_map *map)
{
	__u64 bytes = (__u64)bpf_map__key_size(map) + bpf_map__value_size(map);

	/* For allocated elements sizes_bound() keeps the keys that programs name. */
	return !is_allocated(bpf_map__type(map)) && bpf_map__max_entries(map) > ELEMENTS &&
	       bytes * bpf_map__max_entries(map) > BYTES_MAX;
}

bool sizes_complete(struct bpf_map *map)
{
	enum bpf_map_type type = bpf_map__type(map);
	bool changed = false;

	if (!bpf_map__max_entries(map) && !has_no_size(type))
		changed = !bpf_map__set_max_entries(map, elements_default(type));
	if (!bpf_map__value_size(map) && type == BPF_MAP_TYPE_STACK_TRACE)
		changed |= !bpf_map__set_value_size(map, STACK_FRAMES * sizeof(__u64));
	if (is_huge(map)) {
		__u64 bytes = (__u64)bpf_map__key_size(map) + bpf_map__value_size(map);

		changed |= !bpf_map__set_max_entries(
			map, BYTES_MAX / bytes > ELEMENTS ? BYTES_MAX / bytes : ELEMENTS);
	}
	return changed;
}

/* Any key buffer of a program has the one byte of the key; a long value has what it reads. */
bool sizes_inner(struct bpf_map *map, int *fd)
{
	enum bpf_map_type type = bpf_map__type(map);

	if ((type != BPF_MAP_TYPE_ARRAY_OF_MAPS && type != BPF_MAP_TYPE_HASH_OF_MAPS) ||
	    bpf_map__inner_map(map))
		return false;
	if (!*fd)
		*fd = bpf_map_create(BPF_MAP_TYPE_HASH, "made_up", 1, INNER_VALUE, 1, NULL);
	if (*fd < 0)
		*fd = 0;
	return *fd && !bpf_map__set_inner_map_fd(map, *fd);
}

const char *sizes_fault(const struct bpf_map *map)
{
	static const enum bpf_map_type arrays[] = {
		BPF_MAP_TYPE_ARRAY,	   BPF_MAP_TYPE_PERCPU_ARRAY,
		BPF_MAP_TYPE_PROG_ARRAY,   BPF_MAP_TYPE_PERF_EVENT_ARRAY,
		BPF_MAP_TYPE_CGROUP_ARRAY, BPF_MAP_TYPE_ARRAY_OF_MAPS,
		BPF_MAP_TYPE_DEVMAP,	   BPF_MAP_TYPE_CPUMAP,
		BPF_MAP_TYPE_SOCKMAP,	   BPF_MAP_TYPE_XSKMAP,
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		if (bpf_map__type(map) == arrays[i] && bpf_map__key_size(map) != sizeof(__u32))
			return "the key of an array has 4 bytes";
	return NULL;
}

/* Does the instruction have a number that may be a key, or that a key is compared with? */
static bool is_constant(const struct bpf_insn *insn)
{
	__u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	if (class == BPF_ST || insn->code == (BPF_LD | BPF_IMM | BPF_DW))
		return true;
	if (class == BPF_ALU || class == BPF_ALU64)
		return op == BPF_MOV && BPF_SRC(insn->code) == BPF_K;
	return (class == BPF_JMP || class == BPF_JMP32) && BPF_SRC(insn->code) == BPF_K &&
	       op != BPF_JA && op != BPF_CALL && op != BPF_EXIT && op != BPF_JSET;
}

/* A key may be compared with the number, so the key above it needs an element, too. */
__u32 sizes_named(const struct bpf_insn *insns, size_t nr_insns, __u32 below)
{
	__u32 nr = 0;

	for (size_t i = 0; i < nr_insns; i++) {
		__u32 imm = insns[i].imm;

		if (is_constant(&insns[i]) && imm < below && imm + 2ULL > nr)
			nr = below - imm < 2 ? below : imm + 2;
	}
	return nr;
}

/* As many elements as fit, but not fewer than ELEMENTS and not more than ENOUGH. */
static __u32 elements_enough(__u64 each)
{
	__u64 fit = MEMORY_MAX / each;

	return fit < ELEMENTS ? ELEMENTS : fit < ENOUGH ? fit : ENOUGH;
}

static bool is_array(enum bpf_map_type type)
{
	return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* The largest number of elements that any code names. */
struct named {
	__u32 below, nr;
};

static void named_add(void *arg, const struct bpf_insn *insns, size_t nr_insns)
{
	struct named *named = arg;
	__u32 nr = sizes_named(insns, nr_insns, named->below);

	named->nr = nr > named->nr ? nr : named->nr;
}

bool sizes_bound(const struct refs *refs, struct bpf_map *map)
{
	__u64 each = (__u64)bpf_map__key_size(map) + bpf_map__value_size(map) + ELEMENT_COST;
	struct named named = { .below = bpf_map__max_entries(map) };
	__u32 keep = elements_enough(each);

	if (!is_allocated(bpf_map__type(map)) || named.below * each <= MEMORY_MAX)
		return false;
	/* The keys of a hash may be any numbers. */
	if (refs && is_array(bpf_map__type(map)))
		refs_code(refs, named_add, &named);
	if (named.nr > MEMORY_NAMED / each)
		named.nr = MEMORY_NAMED / each;
	keep = named.nr > keep ? named.nr : keep;
	return keep < named.below && !bpf_map__set_max_entries(map, keep);
}
