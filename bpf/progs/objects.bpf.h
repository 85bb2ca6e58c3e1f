/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocated objects, lists and trees: the kernel's functions take hidden
 * arguments that the verifier fills, which these macros leave out.
 */
#ifndef OBJECTS_BPF_H
#define OBJECTS_BPF_H

#include <bpf/bpf_core_read.h>

extern void *bpf_obj_new_impl(__u64 local_type_id, void *meta) __weak __ksym;
extern void bpf_obj_drop_impl(void *object, void *meta) __weak __ksym;
extern int bpf_list_push_back_impl(struct bpf_list_head *head, struct bpf_list_node *node,
				   void *meta, __u64 off) __weak __ksym;
extern struct bpf_list_node *bpf_list_pop_front(struct bpf_list_head *head) __weak __ksym;
extern int bpf_rbtree_add_impl(struct bpf_rb_root *root, struct bpf_rb_node *node,
			       bool (*less)(struct bpf_rb_node *, const struct bpf_rb_node *),
			       void *meta, __u64 off) __weak __ksym;
extern struct bpf_rb_node *bpf_rbtree_first(struct bpf_rb_root *root) __weak __ksym;
extern struct bpf_rb_node *bpf_rbtree_remove(struct bpf_rb_root *root,
					     struct bpf_rb_node *node) __weak __ksym;

#define obj_new(type)		   ((type *)bpf_obj_new_impl(bpf_core_type_id_local(type), NULL))
#define obj_drop(object)	   bpf_obj_drop_impl(object, NULL)
#define list_push(head, node)	   bpf_list_push_back_impl(head, node, NULL, 0)
#define tree_add(root, node, less) bpf_rbtree_add_impl(root, node, less, NULL, 0)

#define container(ptr, type, member) ((type *)((void *)(ptr) - __builtin_offsetof(type, member)))

/* What a list or tree holds: struct TYPE, linked by its member NODE. */
#define contains(type, node) __attribute__((btf_decl_tag("contains:" #type ":" #node)))
/* A list or tree and the lock that guards it share one section, and so one map. */
#define guarded(section) SEC(".data." #section) __hidden __attribute__((aligned(8)))

#endif /* OBJECTS_BPF_H */
