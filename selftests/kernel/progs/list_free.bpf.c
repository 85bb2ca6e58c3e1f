// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Are objects in a list or tree freed when the map, element or object that contains it is freed?
 * The objects have a second owner here, the map "kept", through which programs read the number of
 * owners: prog_tests/list_free.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <rqspin/res_spin_lock.bpf.h>
#include "graph.h"
#include "list_free.h"

extern void *bpf_refcount_acquire_impl(void *kptr, void *meta) __weak __ksym;

struct counted {
	struct bpf_list_node link;
	struct bpf_rb_node branch;
	struct bpf_refcount owners;
};

struct under_resilient {
	struct bpf_res_spin_lock lock;
	struct bpf_list_head head __contains(counted, link);
	struct bpf_rb_root root __contains(counted, branch);
};

struct under_plain {
	struct bpf_spin_lock lock;
	struct bpf_list_head head __contains(counted, link);
	struct bpf_rb_root root __contains(counted, branch);
};

/* Pointers to objects, for maps whose values may have no lock of their own. */
struct resilient_kptr {
	struct under_resilient __kptr *object;
};

struct plain_kptr {
	struct under_plain __kptr *object;
};

struct second {
	struct counted __kptr *object;
};

#define MAP(map_type, name, flags, nr, of) \
	struct {                           \
		__uint(type, map_type);    \
		__uint(map_flags, flags);  \
		__uint(max_entries, nr);   \
		__type(key, __u32);        \
		__type(value, struct of);  \
	} name SEC(".maps")

#define MAPS(kind)                                                                \
	MAP(BPF_MAP_TYPE_ARRAY, kind##_array, 0, 1, under_##kind);                \
	MAP(BPF_MAP_TYPE_HASH, kind##_hash, 0, 1, under_##kind);                  \
	MAP(BPF_MAP_TYPE_HASH, kind##_alloc, BPF_F_NO_PREALLOC, 1, under_##kind); \
	MAP(BPF_MAP_TYPE_ARRAY, kind##_in_array, 0, 1, kind##_kptr);              \
	MAP(BPF_MAP_TYPE_LRU_HASH, kind##_in_lru, 0, 1, kind##_kptr);             \
	MAP(BPF_MAP_TYPE_TASK_STORAGE, kind##_in_task, BPF_F_NO_PREALLOC, 0, kind##_kptr)

MAPS(resilient);
MAPS(plain);
MAP(BPF_MAP_TYPE_ARRAY, kept, 0, LIST_FREE_SLOTS, second);

/* The place of the list and the tree, and the number of the kept object to look at. */
__u32 way, slot;
bool delete_first;

/* A new object with two owners: the one returned, and the map. */
static __always_inline struct counted *counted_new(__u32 key)
{
	struct counted *n, *other;
	struct second *k;

	k = bpf_map_lookup_elem(&kept, &key);
	if (!k)
		return NULL;
	n = bpf_obj_new(struct counted);
	if (!n)
		return NULL;
	other = bpf_kptr_xchg(&k->object, bpf_refcount_acquire_impl(n, NULL));
	if (other)
		bpf_obj_drop(other);
	return n;
}

static bool never_less(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return false;
}

/* Both locks have programs of the same form, which differ in the calls that take them. */
#define RESILIENT_LOCK(l)   bpf_res_spin_lock(l)
#define RESILIENT_UNLOCK(l) bpf_res_spin_unlock(l)
#define PLAIN_LOCK(l)	    (bpf_spin_lock(l), 0)
#define PLAIN_UNLOCK(l)	    bpf_spin_unlock(l)

#define PROGRAMS(kind, KIND, LOCK, UNLOCK)                                                       \
	static __always_inline int kind##_add(struct under_##kind *v)                            \
	{                                                                                        \
		struct counted *listed, *treed;                                                  \
                                                                                                 \
		listed = v ? counted_new(LIST_FREE_##KIND##_LIST) : NULL;                        \
		if (!listed)                                                                     \
			return -1;                                                               \
		treed = counted_new(LIST_FREE_##KIND##_TREE);                                    \
		if (!treed) {                                                                    \
			bpf_obj_drop(listed);                                                    \
			return -1;                                                               \
		}                                                                                \
		if (LOCK(&v->lock)) {                                                            \
			bpf_obj_drop(listed);                                                    \
			bpf_obj_drop(treed);                                                     \
			return -2;                                                               \
		}                                                                                \
		bpf_list_push_front_impl(&v->head, &listed->link, NULL, 0);                      \
		bpf_rbtree_add_impl(&v->root, &treed->branch, never_less, NULL, 0);              \
		UNLOCK(&v->lock);                                                                \
		return 0;                                                                        \
	}                                                                                        \
                                                                                                 \
	static __always_inline struct under_##kind *kind##_in_hash(void *map, __u32 *key)        \
	{                                                                                        \
		struct under_##kind *v = bpf_map_lookup_elem(map, key);                          \
                                                                                                 \
		if (v && delete_first)                                                           \
			bpf_map_delete_elem(map, key);                                           \
		return v;                                                                        \
	}                                                                                        \
                                                                                                 \
	static __always_inline struct under_##kind *kind##_value(void)                           \
	{                                                                                        \
		__u32 key = 0;                                                                   \
                                                                                                 \
		switch (way) {                                                                   \
		case LIST_FREE_ARRAY:                                                            \
			return bpf_map_lookup_elem(&kind##_array, &key);                         \
		case LIST_FREE_HASH:                                                             \
			return kind##_in_hash(&kind##_hash, &key);                               \
		case LIST_FREE_ALLOC:                                                            \
			return kind##_in_hash(&kind##_alloc, &key);                              \
		}                                                                                \
		return NULL;                                                                     \
	}                                                                                        \
                                                                                                 \
	static __always_inline struct kind##_kptr *kind##_place(void)                            \
	{                                                                                        \
		__u32 key = 0;                                                                   \
                                                                                                 \
		switch (way) {                                                                   \
		case LIST_FREE_IN_ARRAY:                                                         \
		case LIST_FREE_DROPPED:                                                          \
			return bpf_map_lookup_elem(&kind##_in_array, &key);                      \
		case LIST_FREE_IN_LRU:                                                           \
			return bpf_map_lookup_elem(&kind##_in_lru, &key);                        \
		case LIST_FREE_IN_TASK:                                                          \
			return bpf_task_storage_get(&kind##_in_task, bpf_get_current_task_btf(), \
						    NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);       \
		}                                                                                \
		return NULL;                                                                     \
	}                                                                                        \
                                                                                                 \
	/* Adds objects to a list and a tree in a map's value. */                                \
	SEC("syscall") int kind##_push(void *ctx)                                                \
	{                                                                                        \
		return kind##_add(kind##_value());                                               \
	}                                                                                        \
                                                                                                 \
	/* Adds objects to a list and a tree in an object, then puts that into a map. */         \
	SEC("syscall") int kind##_stash(void *ctx)                                               \
	{                                                                                        \
		struct kind##_kptr *p = kind##_place();                                          \
		struct under_##kind *n, *other;                                                  \
		int err;                                                                         \
                                                                                                 \
		if (!p)                                                                          \
			return -3;                                                               \
		n = bpf_obj_new(struct under_##kind);                                            \
		if (!n)                                                                          \
			return -4;                                                               \
		err = kind##_add(n);                                                             \
		other = bpf_kptr_xchg(&p->object, n);                                            \
		if (other)                                                                       \
			bpf_obj_drop(other);                                                     \
		return err;                                                                      \
	}                                                                                        \
                                                                                                 \
	/* Drops that object, or deletes the element that contains it. */                        \
	SEC("syscall") int kind##_drop(void *ctx)                                                \
	{                                                                                        \
		struct kind##_kptr *p;                                                           \
		struct under_##kind *n;                                                          \
                                                                                                 \
		if (way == LIST_FREE_IN_TASK)                                                    \
			return bpf_task_storage_delete(&kind##_in_task,                          \
						       bpf_get_current_task_btf());              \
		p = kind##_place();                                                              \
		if (!p)                                                                          \
			return -3;                                                               \
		n = bpf_kptr_xchg(&p->object, NULL);                                             \
		if (!n)                                                                          \
			return -4;                                                               \
		bpf_obj_drop(n);                                                                 \
		return 0;                                                                        \
	}

PROGRAMS(resilient, RES, RESILIENT_LOCK, RESILIENT_UNLOCK)
PROGRAMS(plain, PLAIN, PLAIN_LOCK, PLAIN_UNLOCK)

SEC("syscall")
int owners(void *ctx)
{
	struct second *k;
	__u32 key = slot;
	int nr = -1;

	k = bpf_map_lookup_elem(&kept, &key);
	if (!k || !k->object)
		return -1;
	bpf_probe_read_kernel(&nr, sizeof(nr), &k->object->owners);
	return nr;
}

char _license[] SEC("license") = "Dual BSD/GPL";
