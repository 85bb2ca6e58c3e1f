// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "names/btfcache.h"
#include "names/locktype.h"
#include "names/own.h"

struct locktype {
	struct btf *btf;
	__u32 value_id;
};

struct locktype *locktype_read(__u32 map_id)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct locktype *lt;
	int fd = bpf_map_get_fd_by_id(map_id);

	if (fd < 0)
		return NULL;
	if (bpf_map_get_info_by_fd(fd, &info, &len))
		info.btf_id = 0;
	close(fd);
	if (!info.btf_id || !info.btf_value_type_id)
		return NULL;
	lt = calloc(1, sizeof(*lt));
	if (!lt)
		return NULL;
	lt->value_id = info.btf_value_type_id;
	lt->btf = btfcache_get(info.btf_id);
	if (lt->btf)
		return lt;
	free(lt);
	return NULL;
}

void locktype_free(struct locktype *lt)
{
	if (!lt)
		return;
	btfcache_put(lt->btf);
	free(lt);
}

static const struct btf_type *type_strip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t) || btf_is_var(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static void path_append(char **buf, size_t *size, const char *dot, const char *name)
{
	int n = snprintf(*buf, *size, "%s%s", dot, name);

	if (n < 0 || (size_t)n >= *size)
		n = *size ? *size - 1 : 0;
	*buf += n;
	*size -= n;
}

/* The member of a struct, or variable of a section, that covers off, and where it starts. */
static const struct btf_type *step_named(const struct btf *btf, const struct btf_type *t, __u32 off,
					 __u32 *start, const char **name)
{
	const struct btf_var_secinfo *var = btf_var_secinfos(t);

	for (int i = btf_vlen(t) - 1; i >= 0; i--) {
		__u32 at, id;

		if (btf_is_datasec(t)) {
			at = var[i].offset;
			id = var[i].type;
			*name = btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off);
		} else {
			at = btf_member_bit_offset(t, i) / 8;
			id = btf_members(t)[i].type;
			*name = btf__name_by_offset(btf, btf_members(t)[i].name_off);
		}
		if (at > off)
			continue;
		*start = at;
		return type_strip(btf, id);
	}
	return NULL;
}

static const struct btf_type *step_array(const struct btf *btf, const struct btf_type *t,
					 __u32 *off, char **buf, size_t *size)
{
	__s64 elem = btf__resolve_size(btf, btf_array(t)->type);
	char index[16];

	if (elem <= 0)
		return NULL;
	snprintf(index, sizeof(index), "[%u]", (__u32)(*off / elem));
	path_append(buf, size, "", index);
	*off %= elem;
	return type_strip(btf, btf_array(t)->type);
}

bool locktype_has_lock(__u32 map_id)
{
	struct locktype *lt = locktype_read(map_id);
	bool has;

	/*
	 * The kernel checks the value's own type. A lock elsewhere in the same BTF only costs a
	 * useless look.
	 */
	has = lt && btf__find_by_name_kind(lt->btf, "bpf_res_spin_lock", BTF_KIND_STRUCT) > 0;
	locktype_free(lt);
	return has;
}

bool locktype_has_graph(const struct locktype *lt, enum graph_kind kind)
{
	return lt && graphtype_has(lt->btf, lt->value_id, kind);
}

bool locktype_own(const struct locktype *lt)
{
	return lt && own_object(lt->btf);
}

/* The path ends at the lock: what is inside the lock is not named. */
static bool is_end(const struct btf *btf, const struct btf_type *t, bool arena)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	if (!btf_is_datasec(t) && !btf_is_composite(t))
		return true;
	if (arena)
		return btf_is_union(t) || (!btf_is_datasec(t) && strstr(name, "lock"));
	return !strcmp(name, "bpf_res_spin_lock");
}

void locktype_path_in(const struct btf *btf, __u32 type, bool arena, __u32 off, char *buf,
		      size_t size)
{
	const struct btf_type *t = type_strip(btf, type);
	const char *dot = "", *name;
	__u32 start;

	*buf = 0;
	while (t) {
		if (btf_is_array(t)) {
			t = step_array(btf, t, &off, &buf, &size);
			continue;
		}
		if (is_end(btf, t, arena))
			break;
		t = step_named(btf, t, off, &start, &name);
		if (!t)
			break;
		path_append(&buf, &size, *name ? dot : "", name);
		off -= start;
		dot = ".";
	}
}

void locktype_path(const struct locktype *lt, __u32 off, char *buf, size_t size)
{
	if (lt && type_strip(lt->btf, lt->value_id))
		locktype_path_in(lt->btf, lt->value_id, false, off, buf, size);
	else
		snprintf(buf, size, "+%u", off);
}
