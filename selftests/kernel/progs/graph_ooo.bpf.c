// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists and trees of several locks, one of which is released out of order. */
#include "release_ooo.h"
#include "graph_lists.h"

#define guarded(name) __hidden SEC(".data." #name)

struct bpf_res_spin_lock tree_lock guarded(tree);
struct bpf_rb_root tree_root guarded(tree) __contains(leaf, branch);

/* A node in list l, whose lock is held together with another one. */
#define PUSH_UNDER_TWO(l, n, first, second)                                \
	do {                                                               \
		if (!(l))                                                  \
			return 0;                                          \
		(n) = bpf_obj_new(struct item);                            \
		if (!(n))                                                  \
			return 0;                                          \
		if (!take_two(first, second)) {                            \
			bpf_obj_drop(n);                                   \
			return 0;                                          \
		}                                                          \
		(n)->key = 7;                                              \
		bpf_list_push_front_impl(&(l)->head, &(n)->link, NULL, 0); \
	} while (0)

/* Another CPU may take the node out and free it, though a lock is still held. */
SEC("?tc")
__needs(OOO)
__refused("invalid mem access 'scalar'")
int node_of_the_released(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct item *n;

	PUSH_UNDER_TWO(l, n, &l->lock, &lock_a);
	bpf_res_spin_unlock_ooo(&l->lock);
	n->key = 1;
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

/* The verifier does not know which lock a node belongs to. */
SEC("?tc")
__needs(OOO)
__refused("invalid mem access 'scalar'")
int node_of_the_other(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct item *n;

	PUSH_UNDER_TWO(l, n, &lock_a, &l->lock);
	bpf_res_spin_unlock_ooo(&lock_a);
	n->key = 1;
	bpf_res_spin_unlock(&l->lock);
	return 0;
}

SEC("?tc")
__needs(OOO)
__refused("held lock and object are not in the same allocation")
__refused("bpf_res_spin_lock at off=0 must be held for bpf_list_head")
int list_of_the_released(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct bpf_list_node *node;

	if (!l || !take_two(&l->lock, &lock_a))
		return 0;
	bpf_res_spin_unlock_ooo(&l->lock);
	node = bpf_list_pop_front(&l->head);
	bpf_res_spin_unlock(&lock_a);
	if (node)
		bpf_obj_drop(container_of(node, struct item, link));
	return 0;
}

SEC("?tc")
__needs(OOO)
__returns(7)
int list_of_the_other(struct __sk_buff *ctx)
{
	struct rooted *l = list_of(0);
	struct bpf_list_node *node;
	struct item *n;
	int key;

	PUSH_UNDER_TWO(l, n, &lock_a, &l->lock);
	bpf_res_spin_unlock_ooo(&lock_a);
	node = bpf_list_pop_front(&l->head);
	bpf_res_spin_unlock(&l->lock);
	if (!node)
		return -1;
	n = container_of(node, struct item, link);
	key = (int)n->key;
	bpf_obj_drop(n);
	return key;
}

/* Moves a node from one list to the other, each under its own lock. */
SEC("?tc")
__needs(OOO)
__returns(7)
int move_between_lists(struct __sk_buff *ctx)
{
	struct rooted *from = list_of(0), *to = list_of(1);
	struct bpf_list_node *node;
	struct item *n;
	int key = -1;

	if (!to)
		return -1;
	PUSH_UNDER_TWO(from, n, &from->lock, &to->lock);
	node = bpf_list_pop_front(&from->head);
	bpf_res_spin_unlock_ooo(&from->lock);
	if (node) {
		n = container_of(node, struct item, link);
		bpf_list_push_back_impl(&to->head, &n->link, NULL, 0);
	}
	node = bpf_list_pop_front(&to->head);
	bpf_res_spin_unlock(&to->lock);
	if (node) {
		n = container_of(node, struct item, link);
		key = (int)n->key;
		bpf_obj_drop(n);
	}
	return key;
}

static bool less_that_releases(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	bpf_res_spin_unlock_ooo(&lock_a);
	return a < b;
}

SEC("?tc")
__needs(OOO)
__refused("can't res_spin_{lock,unlock} in rbtree cb")
int tree_callback_releases(struct __sk_buff *ctx)
{
	struct leaf *n = bpf_obj_new(struct leaf);

	if (!n)
		return 0;
	if (!take_two(&lock_a, &tree_lock)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_rbtree_add_impl(&tree_root, &n->branch, less_that_releases, NULL, 0);
	bpf_res_spin_unlock(&tree_lock);
	bpf_res_spin_unlock(&lock_a);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
