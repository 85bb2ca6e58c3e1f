// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A list or tree in a map's element that is deleted or replaced while its lock is held:
 * prog_tests/list_reuse.c.
 */
#include "test_kfuncs.h"
#include "graph_lists.h"

struct treed {
	struct bpf_res_spin_lock lock;
	struct bpf_rb_root root __contains(leaf, branch);
};

/* Three elements: one in reserve, that of the old key and that of the new key. */
#define HASH(name, flags, of)                    \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(map_flags, flags);        \
		__uint(max_entries, 3);          \
		__type(key, __u32);              \
		__type(value, struct of);        \
	} name SEC(".maps")

HASH(preallocated, 0, rooted);
HASH(allocated, BPF_F_NO_PREALLOC, rooted);
HASH(trees, 0, treed);

__u32 key, holding, release;
bool use_allocated, use_array;
/* The time for which the kernel lets one loop run, and the number of loops the owner waits. */
__u64 loop_ns;
int loops = 1;

static __always_inline struct rooted *find_root(void)
{
	__u32 k = key;

	if (use_array)
		return list_of(k);
	return use_allocated ? bpf_map_lookup_elem(&allocated, &k) :
			       bpf_map_lookup_elem(&preallocated, &k);
}

SEC("syscall")
int fill(void *ctx)
{
	struct rooted *l = find_root();
	struct item *n;

	if (!l)
		return -1;
	n = bpf_obj_new(struct item);
	if (!n)
		return -2;
	if (bpf_res_spin_lock(&l->lock)) {
		bpf_obj_drop(n);
		return -3;
	}
	bpf_list_push_front_impl(&l->head, &n->link, NULL, 0);
	bpf_res_spin_unlock(&l->lock);
	return 0;
}

static bool never_less(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return false;
}

SEC("syscall")
int fill_tree(void *ctx)
{
	__u32 k = key;
	struct treed *t = bpf_map_lookup_elem(&trees, &k);
	struct leaf *n;

	if (!t)
		return -1;
	n = bpf_obj_new(struct leaf);
	if (!n)
		return -2;
	if (bpf_res_spin_lock(&t->lock)) {
		bpf_obj_drop(n);
		return -3;
	}
	bpf_rbtree_add_impl(&t->root, &n->branch, never_less, NULL, 0);
	bpf_res_spin_unlock(&t->lock);
	return 0;
}

static __noinline bool wait_a_while(void)
{
	while (may_loop) {
		if (*(volatile __u32 *)&release)
			return false;
	}
	return true;
}

SEC("syscall")
int measure(void *ctx)
{
	__u64 begin = bpf_ktime_get_ns();

	wait_a_while();
	loop_ns = bpf_ktime_get_ns() - begin;
	return 0;
}

/* 0: asked to release; 2: not asked to release in all its loops. */
static __always_inline int hold_lock(struct bpf_res_spin_lock *lock)
{
	int i, err = 2;

	if (bpf_res_spin_lock(lock))
		return 1;
	holding = 1;
	for (i = 0; may_loop && i < loops; i++) {
		if (!wait_a_while()) {
			err = 0;
			break;
		}
	}
	bpf_res_spin_unlock(lock);
	return err;
}

SEC("syscall")
int hold(void *ctx)
{
	struct rooted *l = find_root();

	return l ? hold_lock(&l->lock) : -1;
}

SEC("syscall")
int hold_tree(void *ctx)
{
	__u32 k = key;
	struct treed *t = bpf_map_lookup_elem(&trees, &k);

	return t ? hold_lock(&t->lock) : -1;
}

/* How many nodes are in the list? None is left. */
SEC("syscall")
int drain(void *ctx)
{
	struct rooted *l = find_root();
	struct bpf_list_node *node;
	int nodes = 0;

	if (!l)
		return -1;
	while (may_loop) {
		if (bpf_res_spin_lock(&l->lock))
			return -2;
		node = bpf_list_pop_front(&l->head);
		bpf_res_spin_unlock(&l->lock);
		if (!node)
			break;
		bpf_obj_drop(container_of(node, struct item, link));
		nodes++;
	}
	return nodes;
}

SEC("syscall")
int drain_tree(void *ctx)
{
	__u32 k = key;
	struct treed *t = bpf_map_lookup_elem(&trees, &k);
	struct bpf_rb_node *node;
	int nodes = 0;

	if (!t)
		return -1;
	while (may_loop) {
		if (bpf_res_spin_lock(&t->lock))
			return -2;
		node = bpf_rbtree_first(&t->root);
		if (node)
			node = bpf_rbtree_remove(&t->root, node);
		bpf_res_spin_unlock(&t->lock);
		if (!node)
			break;
		bpf_obj_drop(container_of(node, struct leaf, branch));
		nodes++;
	}
	return nodes;
}

char _license[] SEC("license") = "GPL";
