// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "kernel.h"

/* Newer kernels may have dropped the older name. */
static const struct {
	const char *name, *newer;
} kfuncs[NR_KFUNCS] = {
	[K_LOCK] = { "bpf_res_spin_lock", NULL },
	[K_UNLOCK] = { "bpf_res_spin_unlock", NULL },
	[K_LOCK_IRQ] = { "bpf_res_spin_lock_irqsave", NULL },
	[K_UNLOCK_IRQ] = { "bpf_res_spin_unlock_irqrestore", NULL },
	[K_UNLOCK_OOO] = { "bpf_res_spin_unlock_ooo", NULL },
	[K_SAVE] = { "bpf_local_irq_save", NULL },
	[K_RESTORE] = { "bpf_local_irq_restore", NULL },
	[K_ITER_NEW] = { "bpf_iter_num_new", NULL },
	[K_ITER_NEXT] = { "bpf_iter_num_next", NULL },
	[K_ITER_DESTROY] = { "bpf_iter_num_destroy", NULL },
	[K_OBJ_NEW] = { "bpf_obj_new_impl", "bpf_obj_new" },
	[K_OBJ_DROP] = { "bpf_obj_drop_impl", "bpf_obj_drop" },
	[K_REFCOUNT_ACQUIRE] = { "bpf_refcount_acquire_impl", "bpf_refcount_acquire" },
	[K_LIST_PUSH] = { "bpf_list_push_front_impl", "bpf_list_push_front" },
	[K_LIST_POP] = { "bpf_list_pop_front", NULL },
	[K_TREE_ADD] = { "bpf_rbtree_add_impl", "bpf_rbtree_add" },
	[K_TREE_FIRST] = { "bpf_rbtree_first", NULL },
	[K_TREE_REMOVE] = { "bpf_rbtree_remove", NULL },
	[K_RCU_LOCK] = { "bpf_rcu_read_lock", NULL },
	[K_RCU_UNLOCK] = { "bpf_rcu_read_unlock", NULL },
	[K_KPTR_USE] = { "bpf_cpumask_first", NULL },
};

const char *kfunc_name(enum kfunc kfunc)
{
	return kfuncs[kfunc].name;
}

static int find_func(const struct btf *vmlinux, const char *name)
{
	return name ? btf__find_by_name_kind(vmlinux, name, BTF_KIND_FUNC) : -ENOENT;
}

static int find_kfuncs(struct kernel *k)
{
	struct btf *vmlinux = btf__load_vmlinux_btf();
	int i;

	if (!vmlinux)
		return -errno;
	for (i = 0; i < NR_KFUNCS; i++) {
		k->kfunc[i] = find_func(vmlinux, kfuncs[i].name);
		if (k->kfunc[i] <= 0)
			k->kfunc[i] = find_func(vmlinux, kfuncs[i].newer);
	}
	/* Programs there run while others hold locks: nodes are linked only under a lock. */
	k->entry = k->kfunc[K_LIST_PUSH];
	k->iter = find_func(vmlinux, "bpf_iter_bpf_map_elem");
	btf__free(vmlinux);
	return 0;
}

static int make_map(const struct kernel *k, int value_id, unsigned int size, unsigned int entries)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .btf_fd = (__u32)k->types.fd,
		    .btf_key_type_id = (__u32)k->types.key, .btf_value_type_id = (__u32)value_id);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "rules", 4, size, entries, &o);
}

static int make_maps(struct kernel *k)
{
	int i, fd, err = 0;
	struct {
		int *fd, type;
		unsigned int size, entries;
	} maps[] = {
		{ &k->globals[0], k->types.value, VALUE_SIZE, 1 },
		{ &k->globals[1], k->types.value, VALUE_SIZE, 1 },
		{ &k->plain[0], k->types.plain, VALUE_SIZE, 1 },
		{ &k->plain[1], k->types.plain, VALUE_SIZE, 1 },
		{ &k->nested_plain[0], k->types.plain, VALUE_SIZE, 1 },
		{ &k->nested_plain[1], k->types.plain, VALUE_SIZE, 1 },
		{ &k->values, k->types.value, VALUE_SIZE, NR_ELEMENTS },
		{ &k->numbers, k->types.number, 8, NR_ELEMENTS },
		{ &k->condition, k->types.number, 8, 1 },
	};

	for (i = 0; i < (int)(sizeof(maps) / sizeof(*maps)) && !err; i++) {
		fd = make_map(k, maps[i].type, maps[i].size, maps[i].entries);
		*maps[i].fd = fd;
		err = fd < 0 ? fd : 0;
	}
	return err;
}

int open_kernel(struct kernel *k, bool *lacks)
{
	int err = find_kfuncs(k);

	*lacks = err || k->kfunc[K_LOCK] <= 0;
	if (*lacks)
		return 0;
	err = make_types(&k->types);
	if (err) {
		fprintf(stderr, "rules: the kernel refuses the types: %s (root?)\n",
			strerror(-err));
		return err;
	}
	err = make_maps(k);
	if (err)
		fprintf(stderr, "rules: no map: %s (root?)\n", strerror(-err));
	return err;
}
