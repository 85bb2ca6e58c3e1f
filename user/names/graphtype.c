// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>
#include <string.h>
#include <bpf/btf.h>

#include "names/graphtype.h"

#define NESTING_MAX 8

static bool is_root(const char *name, enum graph_kind kind)
{
	return !strcmp(name, kind == GRAPH_LIST ? "bpf_list_head" : "bpf_rb_root");
}

static bool type_has(const struct btf *btf, __u32 id, enum graph_kind kind, int depth);

static bool members_have(const struct btf *btf, const struct btf_type *t, enum graph_kind kind,
			 int depth)
{
	for (int i = 0; i < btf_vlen(t); i++) {
		__u32 id = btf_is_datasec(t) ? btf_var_secinfos(t)[i].type : btf_members(t)[i].type;

		if (type_has(btf, id, kind, depth))
			return true;
	}
	return false;
}

static bool type_has(const struct btf *btf, __u32 id, enum graph_kind kind, int depth)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t) || btf_is_var(t)))
		t = btf__type_by_id(btf, t->type);
	if (!t || !depth)
		return false;
	if (btf_is_array(t))
		return type_has(btf, btf_array(t)->type, kind, depth - 1);
	if (btf_is_datasec(t))
		return members_have(btf, t, kind, depth - 1);
	if (!btf_is_struct(t))
		return false;
	return is_root(btf__name_by_offset(btf, t->name_off), kind) ||
	       members_have(btf, t, kind, depth - 1);
}

bool graphtype_has(const struct btf *btf, __u32 type_id, enum graph_kind kind)
{
	return type_has(btf, type_id, kind, NESTING_MAX);
}
