// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/maplocks.h"

/* Newer than some headers of user space. */
#define MAP_TYPE_CGRP_STORAGE 32
#define MAP_TYPE_ARENA	      33

/**
 * struct place - where a lock is
 * @id: as maplock_id()
 * @title: as maplock_title()
 * @type: structure of the kernel
 * @member: the lock in it
 * @added: the lock is new: kernels before it have the structure without it
 */
struct place {
	const char *id, *title, *type, *member;
	bool added;
};

static const struct place places[MAPLOCK_NR] = {
	[MAPLOCK_NONE] = { "-", "" },
	[MAPLOCK_BUCKET] = { "bucket", "the lock of a bucket", "bucket", "raw_lock" },
	[MAPLOCK_FREELIST] = { "freelist", "the lock of a free list", "pcpu_freelist_head",
			       "lock" },
	[MAPLOCK_LRU] = { "lru", "the lock of an LRU list", "bpf_lru_list", "lock" },
	[MAPLOCK_LPM] = { "lpm", "the trie's lock", "lpm_trie", "lock" },
	[MAPLOCK_QUEUE] = { "queue", "the map's lock", "bpf_queue_stack", "lock" },
	[MAPLOCK_RINGBUF] = { "ringbuf", "the ring's lock", "bpf_ringbuf", "spinlock" },
	[MAPLOCK_STORAGE] = { "storage", "the storage's lock", "bpf_local_storage", "lock" },
	[MAPLOCK_ARENA] = { "arena", "the arena's lock", "bpf_arena", "spinlock", true },
};

/*
 * Functions that kernels let programs trace. They exclude the code of queues, tries and ring
 * buffers.
 */
static const struct {
	const char *name;
	enum maplock lock;
} functions[] = {
	{ "htab_map_update_elem", MAPLOCK_BUCKET },
	{ "htab_percpu_map_update_elem", MAPLOCK_BUCKET },
	{ "htab_map_delete_elem", MAPLOCK_BUCKET },
	{ "htab_lru_map_delete_elem", MAPLOCK_BUCKET },
	{ "htab_map_lookup_and_delete_elem", MAPLOCK_BUCKET },
	{ "htab_percpu_map_lookup_and_delete_elem", MAPLOCK_BUCKET },
	{ "htab_lru_map_lookup_and_delete_elem", MAPLOCK_BUCKET },
	{ "htab_lru_percpu_map_lookup_and_delete_elem", MAPLOCK_BUCKET },
	{ "htab_map_lookup_batch", MAPLOCK_BUCKET },
	{ "htab_percpu_map_lookup_batch", MAPLOCK_BUCKET },
	{ "htab_lru_map_lookup_batch", MAPLOCK_BUCKET },
	{ "htab_lru_percpu_map_lookup_batch", MAPLOCK_BUCKET },
	{ "htab_map_lookup_and_delete_batch", MAPLOCK_BUCKET },
	{ "htab_percpu_map_lookup_and_delete_batch", MAPLOCK_BUCKET },
	{ "htab_lru_map_lookup_and_delete_batch", MAPLOCK_BUCKET },
	{ "htab_lru_percpu_map_lookup_and_delete_batch", MAPLOCK_BUCKET },
	{ "htab_lru_map_update_elem", MAPLOCK_LRU },
	{ "htab_lru_percpu_map_update_elem", MAPLOCK_LRU },
	{ "bpf_local_storage_update", MAPLOCK_STORAGE },
	{ "bpf_selem_unlink", MAPLOCK_STORAGE },
};

/*
 * Free lists are left out: if one cannot be locked, the kernel takes the next CPU's. An operation
 * never needs a certain list.
 */
static const struct {
	unsigned int type, locks;
} map_types[] = {
	{ BPF_MAP_TYPE_HASH, 1 << MAPLOCK_BUCKET },
	{ BPF_MAP_TYPE_PERCPU_HASH, 1 << MAPLOCK_BUCKET },
	{ BPF_MAP_TYPE_HASH_OF_MAPS, 1 << MAPLOCK_BUCKET },
	{ BPF_MAP_TYPE_LRU_HASH, 1 << MAPLOCK_BUCKET | 1 << MAPLOCK_LRU },
	{ BPF_MAP_TYPE_LRU_PERCPU_HASH, 1 << MAPLOCK_BUCKET | 1 << MAPLOCK_LRU },
	{ BPF_MAP_TYPE_LPM_TRIE, 1 << MAPLOCK_LPM },
	{ BPF_MAP_TYPE_QUEUE, 1 << MAPLOCK_QUEUE },
	{ BPF_MAP_TYPE_STACK, 1 << MAPLOCK_QUEUE },
	{ BPF_MAP_TYPE_RINGBUF, 1 << MAPLOCK_RINGBUF },
	{ BPF_MAP_TYPE_TASK_STORAGE, 1 << MAPLOCK_STORAGE },
	{ MAP_TYPE_CGRP_STORAGE, 1 << MAPLOCK_STORAGE },
	{ BPF_MAP_TYPE_INODE_STORAGE, 1 << MAPLOCK_STORAGE },
	{ BPF_MAP_TYPE_SK_STORAGE, 1 << MAPLOCK_STORAGE },
	{ MAP_TYPE_ARENA, 1 << MAPLOCK_ARENA },
};

/* The type of a member, 0: no such member. Older kernels have the lock in a union. */
static __u32 member_type(const struct btf *btf, const struct btf_type *t, const char *name)
{
	const struct btf_member *m = btf_members(t);
	__u32 id = 0;

	for (int i = 0; i < btf_vlen(t) && !id; i++) {
		const struct btf_type *inner = btf__type_by_id(btf, m[i].type);

		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
			id = m[i].type;
		else if (!m[i].name_off && inner && btf_is_composite(inner))
			id = member_type(btf, inner, name);
	}
	return id;
}

static bool type_is_resilient(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t))) {
		if (!strcmp(btf__name_by_offset(btf, t->name_off), "rqspinlock_t"))
			return true;
		t = btf__type_by_id(btf, t->type);
	}
	return false;
}

/* Drivers may have structures of the same name, but without such a member. */
static enum maplock_kind kind_of(const struct btf *btf, const struct place *at, bool series)
{
	enum maplock_kind kind = MAPLOCK_UNKNOWN;

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		__u32 lock;

		if (!btf_is_struct(t) || strcmp(btf__name_by_offset(btf, t->name_off), at->type))
			continue;
		lock = member_type(btf, t, at->member);
		if (lock && type_is_resilient(btf, lock))
			return series ? MAPLOCK_SERIES : MAPLOCK_LATER;
		if (lock || at->added)
			kind = MAPLOCK_PLAIN;
	}
	return kind;
}

unsigned int maplocks_resilient(const struct maplocks *locks)
{
	unsigned int mask = 0;

	for (int i = MAPLOCK_NONE + 1; i < MAPLOCK_NR; i++)
		if (locks->kinds[i] == MAPLOCK_LATER || locks->kinds[i] == MAPLOCK_SERIES)
			mask |= 1U << i;
	return mask;
}

unsigned int maplocks_of_type(unsigned int map_type)
{
	for (size_t i = 0; i < sizeof(map_types) / sizeof(map_types[0]); i++)
		if (map_types[i].type == map_type)
			return map_types[i].locks;
	return 0;
}

bool maplocks_nested(unsigned int map_type)
{
	return map_type == BPF_MAP_TYPE_ARRAY_OF_MAPS || map_type == BPF_MAP_TYPE_HASH_OF_MAPS;
}

void maplocks_types(unsigned int mask, char *buf, size_t size)
{
	size_t used = 0;

	*buf = 0;
	for (size_t i = 0; i < sizeof(map_types) / sizeof(map_types[0]) && used < size; i++) {
		const char *name = map_types[i].type == MAP_TYPE_ARENA ?
					   "arena" :
					   libbpf_bpf_map_type_str(map_types[i].type);

		if (name && map_types[i].locks & mask)
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "", name);
	}
}

enum maplock maplock_of_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].lock;
	return MAPLOCK_NONE;
}

bool maplock_function_tells(const struct btf *btf, const char *name)
{
	__s32 id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t && t->type;
}

unsigned int maplock_functions(const struct btf *btf, enum maplock lock)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		nr += functions[i].lock == lock && maplock_function_tells(btf, functions[i].name);
	return nr;
}

static enum maplock_view view_of(const struct btf *btf, enum maplock lock, enum maplock_kind kind)
{
	if (kind == MAPLOCK_SERIES)
		return MAPLOCK_SEEN;
	if (kind == MAPLOCK_LATER && maplock_functions(btf, lock))
		return MAPLOCK_SEEN_AFTER;
	return MAPLOCK_UNSEEN;
}

/* A trie with an allocator of its own (member "ma") no longer needs the kernel's. */
static bool trie_kmalloc(const struct btf *btf)
{
	int id = btf ? btf__find_by_name_kind(btf, "lpm_trie", BTF_KIND_STRUCT) : -1;

	return id > 0 && !member_type(btf, btf__type_by_id(btf, id), "ma");
}

void maplocks_read(const struct btf *btf, struct maplocks *locks)
{
	enum maplock_kind newest = btf ? MAPLOCK_PLAIN : MAPLOCK_UNKNOWN;
	bool series = btf && btf__find_by_name_kind(btf, "btf_trace_rqspinlock_failure",
						    BTF_KIND_TYPEDEF) > 0;

	for (int i = MAPLOCK_NONE + 1; i < MAPLOCK_NR; i++) {
		enum maplock_kind kind = btf ? kind_of(btf, &places[i], series) : MAPLOCK_UNKNOWN;

		locks->kinds[i] = kind;
		locks->views[i] = view_of(btf, i, kind);
		if (kind != MAPLOCK_UNKNOWN && kind > newest)
			newest = kind;
	}
	locks->trie_kmalloc = trie_kmalloc(btf);
	locks->kinds[MAPLOCK_NONE] = newest;
	locks->views[MAPLOCK_NONE] = MAPLOCK_UNSEEN;
}

const char *maplocks_kind(const struct maplocks *locks, enum maplock lock)
{
	switch (locks->kinds[lock]) {
	case MAPLOCK_PLAIN:
		return "plain";
	case MAPLOCK_UNKNOWN:
		return "unknown";
	default:
		return "resilient";
	}
}

const char *maplock_id(enum maplock lock)
{
	return places[lock].id;
}

const char *maplock_title(enum maplock lock)
{
	return places[lock].title;
}
