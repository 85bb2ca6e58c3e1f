// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>

#include "check/arena.h"
#include "check/locktext.h"
#include "names/locktype.h"

static bool is_section(const struct check_map *m)
{
	return strchr(m->name, '.');
}

static bool is_array(const struct check_map *m)
{
	return m->type == BPF_MAP_TYPE_ARRAY;
}

static void map_lock(const struct check_set *set, const struct lock *lock, char *buf, size_t size)
{
	const struct check_map *m = &set->maps[lock->map];
	char path[128];

	if (m->type == ARENA_MAP_TYPE) {
		arena_text(set, lock, buf, size);
		return;
	}

	locktype_path(m->locks, lock->off, path, sizeof(path));
	if (is_section(m))
		snprintf(buf, size, "%s", *path && *path != '+' ? path : m->name);
	else
		snprintf(buf, size, "%s[%s%s]%s%s", m->name, is_array(m) ? "" : "key ",
			 *lock->key ? lock->key : "?", *path == '+' ? "" : ".", path);
}

/* Names of maps in the kernel are short, and often not unique. */
static void add_id(const struct check_map *m, char *buf, size_t size)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "(map %u)", m->id);
}

static const char *type_name(const struct check_set *set, const struct lock *lock)
{
	const struct check_prog *p = &set->progs[lock->prog];
	const struct btf_type *t;

	t = p->btf && lock->type ? btf__type_by_id(p->btf, lock->type) : NULL;
	return t ? btf__name_by_offset(p->btf, t->name_off) : NULL;
}

void locktext_format(const struct check_set *set, const struct lock *lock, char *buf, size_t size)
{
	const char *type;

	switch (lock->kind) {
	case LOCK_MAP:
		map_lock(set, lock, buf, size);
		if (set->loaded)
			add_id(&set->maps[lock->map], buf, size);
		return;
	case LOCK_OBJECT:
		type = type_name(set, lock);
		if (type)
			snprintf(buf, size, "the lock of a struct %s", type);
		else
			snprintf(buf, size, "the lock of an object");
		return;
	case LOCK_ARENA:
		snprintf(buf, size, "a lock in an arena");
		return;
	default:
		snprintf(buf, size, "a lock behind a pointer");
	}
}

void locktext_who(const struct check_set *set, const struct site *site, char *buf, size_t size)
{
	const struct check_prog *p = &set->progs[site->prog];
	const char *function = check_function(p, site->pc);

	if (function && strcmp(function, p->name))
		snprintf(buf, size, "%s (in %s)", p->name, function);
	else
		snprintf(buf, size, "%s", p->name);
}
