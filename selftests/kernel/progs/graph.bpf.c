// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists and trees that a resilient lock of the same allocation protects. */
#include "locks.h"
#include "graph_lists.h"

struct planted {
	struct bpf_res_spin_lock lock;
	struct bpf_rb_root root __contains(leaf, branch);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct planted);
} trees SEC(".maps");

struct object {
	__u64 count;
	struct bpf_res_spin_lock lock;
	struct bpf_list_head head __contains(item, link);
};

static __always_inline struct planted *tree_of(__u32 key)
{
	return bpf_map_lookup_elem(&trees, &key);
}

static bool leaf_less(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	struct leaf *x = container_of(a, struct leaf, branch);
	struct leaf *y = container_of(b, struct leaf, branch);

	return x->key < y->key;
}

SEC("?tc")
__refused_re("bpf_(res_)?spin_lock at off=-?[0-9]+ must be held")
int list_push_unlocked(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct item *n;

	if (!l)
		return 0;
	n = bpf_obj_new(struct item);
	if (n)
		bpf_list_push_front_impl(&l->head, &n->link, NULL, 0);
	return 0;
}

SEC("?tc")
__refused_re("held lock and object are not in the same allocation")
int list_push_under_other_lock(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct item *n;

	if (!l)
		return 0;
	n = bpf_obj_new(struct item);
	if (!n)
		return 0;
	if (bpf_res_spin_lock(&lock_a)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_list_push_front_impl(&l->head, &n->link, NULL, 0);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

SEC("?tc")
__returns(42)
int list_push_and_pop(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(1);
	struct bpf_list_node *node;
	struct item *n;
	int key;

	if (!l)
		return -1;
	n = bpf_obj_new(struct item);
	if (!n)
		return -2;
	n->key = 42;
	if (bpf_res_spin_lock(&l->lock)) {
		bpf_obj_drop(n);
		return -3;
	}
	bpf_list_push_back_impl(&l->head, &n->link, NULL, 0);
	node = bpf_list_pop_front(&l->head);
	bpf_res_spin_unlock(&l->lock);
	if (!node)
		return -4;
	n = container_of(node, struct item, link);
	key = n->key;
	bpf_obj_drop(n);
	return key;
}

SEC("?tc")
__returns(7)
int tree_add_and_remove_first(struct __sk_buff *ctx)
{
	struct planted *t = tree_of(0);
	struct bpf_rb_node *node;
	struct leaf *m, *n;
	int key;

	if (!t)
		return -1;
	m = bpf_obj_new(struct leaf);
	if (!m)
		return -2;
	n = bpf_obj_new(struct leaf);
	if (!n) {
		bpf_obj_drop(m);
		return -3;
	}
	m->key = 9;
	n->key = 7;
	if (bpf_res_spin_lock(&t->lock)) {
		bpf_obj_drop(m);
		bpf_obj_drop(n);
		return -4;
	}
	bpf_rbtree_add_impl(&t->root, &m->branch, leaf_less, NULL, 0);
	bpf_rbtree_add_impl(&t->root, &n->branch, leaf_less, NULL, 0);
	node = bpf_rbtree_first(&t->root);
	if (node)
		node = bpf_rbtree_remove(&t->root, node);
	bpf_res_spin_unlock(&t->lock);
	if (!node)
		return -5;
	n = container_of(node, struct leaf, branch);
	key = n->key;
	bpf_obj_drop(n);
	return key;
}

static bool less_that_locks(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	return false;
}

/* 7.x refuses any lock call in the callback; 6.18 lets it take another lock. */
SEC("?tc")
__refused_re("can't (res_)?spin_\\{lock,unlock\\} in rbtree cb")
__returns(0)
int tree_callback_locks(struct __sk_buff *ctx)
{
	struct planted *t = tree_of(1);
	struct bpf_rb_node *node;
	struct leaf *n;

	if (!t)
		return 0;
	n = bpf_obj_new(struct leaf);
	if (!n)
		return 0;
	if (bpf_res_spin_lock(&t->lock)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_rbtree_add_impl(&t->root, &n->branch, less_that_locks, NULL, 0);
	node = bpf_rbtree_first(&t->root);
	if (node)
		node = bpf_rbtree_remove(&t->root, node);
	bpf_res_spin_unlock(&t->lock);
	if (node)
		bpf_obj_drop(container_of(node, struct leaf, branch));
	return 0;
}

/* A tree of globals, so that the callback can name the tree's own lock. */
struct bpf_res_spin_lock tree_lock __hidden SEC(".data.tree");
struct bpf_rb_root tree_root __hidden SEC(".data.tree") __contains(leaf, branch);

static bool less_that_opens_the_lock(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_res_spin_unlock(&tree_lock);
	return bpf_res_spin_lock(&tree_lock);
}

/* 6.18 misses at the next step that the lock was released meanwhile: the tree is unprotected. */
SEC("?tc")
__refused_re("can't (res_)?spin_\\{lock,unlock\\} in rbtree cb|spin_lock at off=.* must be held")
int tree_callback_opens_the_lock(struct __sk_buff *ctx)
{
	struct leaf *n = bpf_obj_new(struct leaf);

	if (!n)
		return 0;
	if (bpf_res_spin_lock(&tree_lock)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_rbtree_add_impl(&tree_root, &n->branch, less_that_opens_the_lock, NULL, 0);
	bpf_res_spin_unlock(&tree_lock);
	return 0;
}

/* After the unlock another CPU may remove and free the node. */
SEC("?tc")
__refused("invalid mem access 'scalar'")
int node_used_after_unlock(struct __sk_buff *ctx)
{
	struct planted *t = tree_of(1);
	struct leaf *n;

	if (!t)
		return 0;
	n = bpf_obj_new(struct leaf);
	if (!n)
		return 0;
	if (bpf_res_spin_lock(&t->lock)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_rbtree_add_impl(&t->root, &n->branch, leaf_less, NULL, 0);
	bpf_res_spin_unlock(&t->lock);
	return (int)n->key;
}

/* The failure branch still owns the node: forgetting it is a leak. */
SEC("?tc")
__refused("Unreleased reference")
int node_leaked_on_failure(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct item *n;

	if (!l)
		return 0;
	n = bpf_obj_new(struct item);
	if (!n)
		return 0;
	if (bpf_res_spin_lock(&l->lock))
		return 0;
	bpf_list_push_front_impl(&l->head, &n->link, NULL, 0);
	bpf_res_spin_unlock(&l->lock);
	return 0;
}

/* A lock inside an object that the program allocated itself. */
SEC("?tc")
__returns(11)
int lock_in_an_object(struct __sk_buff *ctx)
{
	struct bpf_list_node *node;
	struct object *o;
	struct item *n;
	int key = -1;

	o = bpf_obj_new(struct object);
	if (!o)
		return -1;
	n = bpf_obj_new(struct item);
	if (!n)
		goto drop;
	n->key = 11;
	if (bpf_res_spin_lock(&o->lock)) {
		bpf_obj_drop(n);
		goto drop;
	}
	bpf_list_push_front_impl(&o->head, &n->link, NULL, 0);
	node = bpf_list_pop_front(&o->head);
	bpf_res_spin_unlock(&o->lock);
	if (node) {
		n = container_of(node, struct item, link);
		key = n->key;
		bpf_obj_drop(n);
	}
drop:
	bpf_obj_drop(o);
	return key;
}

char _license[] SEC("license") = "Dual BSD/GPL";
