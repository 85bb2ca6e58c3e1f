// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/grow.h"
#include "names/arenalocks.h"

#define TAKE	  "rqspin_arena_lock" /* made by RES_ARENA_DEFINE(): its argument is the lock */
#define DEPTH_MAX 16
#define BYTE_BITS 8

struct walk {
	struct arena_locks *locks;
	const struct btf *btf;
	__u32 defined; /* type that RES_ARENA_DEFINE() names; 0: none */
	unsigned int depth;
	int err;
};

static const struct btf_type *type_through(const struct btf *btf, __u32 *id)
{
	const struct btf_type *t = btf__type_by_id(btf, *id);

	while (t && (btf_is_mod(t) || btf_is_type_tag(t) || btf_is_var(t))) {
		*id = t->type;
		t = btf__type_by_id(btf, *id);
	}
	return t;
}

/* "my_lock", "spinlock_t": the word "lock" at the end; neither "block" nor "clock". */
static bool is_lock_name(const char *name)
{
	size_t len = strlen(name);

	if (len > 2 && !strcmp(name + len - 2, "_t"))
		len -= 2;
	if (len < 4 || strncmp(name + len - 4, "lock", 4))
		return false;
	len -= 4;
	return !len || name[len - 1] == '_' || (len >= 4 && !strncmp(name + len - 4, "spin", 4));
}

static __u32 defined_type(const struct btf *btf)
{
	__s32 func = btf__find_by_name_kind(btf, TAKE, BTF_KIND_FUNC);
	const struct btf_type *t = func > 0 ? btf__type_by_id(btf, func) : NULL;
	__u32 id;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) != 1)
		return 0;
	id = btf_params(t)[0].type;
	t = type_through(btf, &id);
	if (!t || !btf_is_ptr(t))
		return 0;
	id = t->type;
	t = type_through(btf, &id);
	/* If an integer without a name is the lock, not every integer is one. */
	return t && (btf_is_typedef(t) || btf_is_composite(t)) ? id : 0;
}

/* Follows typedefs. Tells whether one of the names, or RES_ARENA_DEFINE(), makes it a lock. */
static const struct btf_type *type_strip(const struct walk *w, __u32 id, bool *lock)
{
	const struct btf_type *t = type_through(w->btf, &id);

	*lock = false;
	while (t) {
		*lock |= id == w->defined;
		if (btf_is_typedef(t) || btf_is_composite(t))
			*lock |= is_lock_name(btf__name_by_offset(w->btf, t->name_off));
		if (!btf_is_typedef(t))
			break;
		id = t->type;
		t = type_through(w->btf, &id);
	}
	return t;
}

/* The bit at which a member begins, also within members without a name; -1: there is none. */
static int member_bit(const struct walk *w, const struct btf_type *t, const char *name,
		      unsigned int depth)
{
	bool lock;
	int bit;

	for (int i = 0; btf_is_composite(t) && depth < DEPTH_MAX && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *have = btf__name_by_offset(w->btf, m->name_off);
		const struct btf_type *in = *have ? NULL : type_strip(w, m->type, &lock);

		if (!strcmp(have, name))
			return btf_member_bit_offset(t, i);
		bit = in ? member_bit(w, in, name, depth + 1) : -1;
		if (bit >= 0)
			return bit + btf_member_bit_offset(t, i);
	}
	return -1;
}

static enum arena_layout layout_of(const struct walk *w, const struct btf_type *t)
{
	bool queued = !member_bit(w, t, "locked", 0) && member_bit(w, t, "pending", 0) == BYTE_BITS;

	return queued ? ARENA_QUEUED : ARENA_PLAIN;
}

void arenalocks_learn(struct arena_locks *locks, const struct btf *btf)
{
	struct walk w = { locks, btf, defined_type(btf), 0, 0 };
	const struct btf_type *t;
	bool lock;

	if (!w.defined || locks->known)
		return;
	t = type_strip(&w, w.defined, &lock);
	locks->usual = t ? layout_of(&w, t) : ARENA_QUEUED;
	locks->known = true;
}

static void lock_add(struct walk *w, const struct btf_type *t, __u64 off, const char *path)
{
	struct arena_lock lock = { .off = off, .layout = layout_of(w, t) };

	if (!btf_is_composite(t) && !btf_is_int(t) && !btf_is_any_enum(t))
		return;
	if (!t->size || w->err)
		return;
	lock.size = t->size < sizeof(__u32) ? t->size : sizeof(__u32);
	snprintf(lock.path, sizeof(lock.path), "%s", path);
	if (w->locks->nr == ARENALOCKS_MAX)
		w->locks->beyond++;
	else
		w->err = grow_append((void **)&w->locks->all, &w->locks->nr, &lock, sizeof(lock));
}

static void type_walk(struct walk *w, __u32 id, __u64 off, const char *path);

static void array_walk(struct walk *w, const struct btf_type *t, __u64 off, const char *path)
{
	const struct btf_array *a = btf_array(t);
	__s64 each = btf__resolve_size(w->btf, a->type);
	size_t before = w->locks->nr + w->locks->beyond;
	char deeper[LOCKNAME_PATH];

	for (__u32 i = 0; each > 0 && !w->err && i < a->nelems; i++) {
		if (snprintf(deeper, sizeof(deeper), "%s[%u]", path, i) >= (int)sizeof(deeper))
			return;
		type_walk(w, a->type, off + each * i, deeper);
		/* Elements without locks may be many. */
		if (w->locks->nr + w->locks->beyond == before)
			return;
	}
}

static void members_walk(struct walk *w, const struct btf_type *t, __u64 off, const char *path)
{
	char deeper[LOCKNAME_PATH];

	for (int i = 0; !w->err && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = btf__name_by_offset(w->btf, m->name_off);

		if (btf_member_bitfield_size(t, i))
			continue;
		if (snprintf(deeper, sizeof(deeper), "%s%s%s", path, *path && *name ? "." : "",
			     name) < (int)sizeof(deeper))
			type_walk(w, m->type, off + btf_member_bit_offset(t, i) / BYTE_BITS,
				  deeper);
	}
}

static void type_walk(struct walk *w, __u32 id, __u64 off, const char *path)
{
	bool lock;
	const struct btf_type *t = type_strip(w, id, &lock);

	if (!t || w->depth == DEPTH_MAX)
		return;
	w->depth++;
	if (lock && !btf_is_array(t))
		lock_add(w, t, off, path);
	else if (btf_is_array(t))
		array_walk(w, t, off, path);
	else if (btf_is_composite(t))
		members_walk(w, t, off, path);
	w->depth--;
}

int arenalocks_add(struct arena_locks *locks, const struct btf *btf, __u32 section, __u64 begin)
{
	const struct btf_type *t = btf__type_by_id(btf, section);
	struct walk w = { locks, btf, defined_type(btf), 0, 0 };

	for (int i = 0; t && btf_is_datasec(t) && i < btf_vlen(t); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(t)[i];
		const struct btf_type *var = btf__type_by_id(btf, v->type);

		type_walk(&w, v->type, begin + v->offset, btf__name_by_offset(btf, var->name_off));
	}
	return w.err;
}

void arenalocks_free(struct arena_locks *locks)
{
	free(locks->all);
	*locks = (struct arena_locks){ 0 };
}
