// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <bpf/btf.h>

#include "kernel/nestfree.h"

static bool points_to(const struct btf *btf, __u32 id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	if (!t || !btf_is_ptr(t))
		return false;
	t = btf__type_by_id(btf, t->type);
	return t && btf_is_struct(t) && !strcmp(btf__name_by_offset(btf, t->name_off), name);
}

/*
 * Stock kernels free such a list with a function that takes the lock as a struct bpf_spin_lock *,
 * and so only under that kind. A kernel that frees under either kind must pass it as another type.
 */
enum nest_free nest_free_btf(const struct btf *btf)
{
	int id = btf ? btf__find_by_name_kind(btf, "bpf_list_head_free", BTF_KIND_FUNC) : -1;
	const struct btf_type *proto;

	if (id < 0)
		return NEST_FREE_UNKNOWN;
	proto = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	if (!proto || !btf_is_func_proto(proto))
		return NEST_FREE_UNKNOWN;
	for (int i = 0; i < btf_vlen(proto); i++)
		if (points_to(btf, btf_params(proto)[i].type, "bpf_spin_lock"))
			return NEST_FREE_LEAKS;
	return NEST_FREE_DONE;
}

enum nest_free nest_free_here(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	enum nest_free found = nest_free_btf(btf);

	btf__free(btf);
	return found;
}
