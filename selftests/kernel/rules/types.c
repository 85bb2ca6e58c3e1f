// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The types of map values and objects, written by hand: the kernel finds locks, roots, nodes and
 * pointers in them by the names of their types.
 */
#include <errno.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "kernel.h"

/* Basic types, and types whose content only the kernel accesses. */
struct parts {
	int u32, res_lock, plain_lock, head, root, list_node, tree_node, refcount, kptr;
};

static void add_parts(struct btf *btf, struct parts *t)
{
	int mask;

	t->u32 = btf__add_int(btf, "unsigned int", 4, 0);
	t->res_lock = btf__add_struct(btf, "bpf_res_spin_lock", 4);
	btf__add_field(btf, "val", t->u32, 0, 0);
	t->plain_lock = btf__add_struct(btf, "bpf_spin_lock", 4);
	btf__add_field(btf, "val", t->u32, 0, 0);
	t->head = btf__add_struct(btf, "bpf_list_head", 16);
	t->root = btf__add_struct(btf, "bpf_rb_root", 16);
	t->list_node = btf__add_struct(btf, "bpf_list_node", 24);
	t->tree_node = btf__add_struct(btf, "bpf_rb_node", 32);
	t->refcount = btf__add_struct(btf, "bpf_refcount", 4);
	mask = btf__add_struct(btf, "bpf_cpumask", 0);
	t->kptr = btf__add_ptr(btf, btf__add_type_tag(btf, "kptr", mask));
}

static int add_value(struct btf *btf, const struct parts *t, const char *name, int lock)
{
	int id = btf__add_struct(btf, name, VALUE_SIZE);

	btf__add_field(btf, "lock", lock, LOCK_OFF * 8, 0);
	btf__add_field(btf, "number", t->u32, NUMBER_OFF * 8, 0);
	btf__add_field(btf, "head", t->head, HEAD_OFF * 8, 0);
	btf__add_field(btf, "root", t->root, ROOT_OFF * 8, 0);
	btf__add_field(btf, "kptr", t->kptr, KPTR_OFF * 8, 0);
	btf__add_decl_tag(btf, "contains:item:node", id, 2);
	btf__add_decl_tag(btf, "contains:leaf:node", id, 3);
	return id;
}

/* Leaves have a counter, so that less() can get a reference of its own. */
static void add_objects(struct btf *btf, const struct parts *t, struct types *types)
{
	types->item = btf__add_struct(btf, "item", NODE_OFF + 24);
	btf__add_field(btf, "lock", t->res_lock, LOCK_OFF * 8, 0);
	btf__add_field(btf, "key", t->u32, KEY_OFF * 8, 0);
	btf__add_field(btf, "node", t->list_node, NODE_OFF * 8, 0);
	types->leaf = btf__add_struct(btf, "leaf", NODE_OFF + 40);
	btf__add_field(btf, "lock", t->plain_lock, LOCK_OFF * 8, 0);
	btf__add_field(btf, "key", t->u32, KEY_OFF * 8, 0);
	btf__add_field(btf, "node", t->tree_node, NODE_OFF * 8, 0);
	btf__add_field(btf, "count", t->refcount, (NODE_OFF + 32) * 8, 0);
}

int make_types(struct types *types)
{
	struct btf *btf = btf__new_empty();
	LIBBPF_OPTS(bpf_btf_load_opts, load);
	struct parts t;
	const void *raw;
	__u32 size;
	int proto;

	add_parts(btf, &t);
	add_objects(btf, &t, types);
	types->key = t.u32;
	types->value = add_value(btf, &t, "value", t.res_lock);
	types->plain = add_value(btf, &t, "plain_value", t.plain_lock);
	types->number = btf__add_struct(btf, "number", 8);
	btf__add_field(btf, "unused", t.u32, 0, 0);
	btf__add_field(btf, "number", t.u32, NUMBER_OFF * 8, 0);
	proto = btf__add_func_proto(btf, btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	types->func = btf__add_func(btf, "rules", BTF_FUNC_STATIC, proto);
	raw = btf__raw_data(btf, &size);
	types->fd = raw ? bpf_btf_load(raw, size, &load) : -ENOMEM;
	btf__free(btf);
	return types->fd < 0 ? types->fd : 0;
}
