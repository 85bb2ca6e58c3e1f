// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_out.h"
#include "names/lockname.h"
#include "output/lock_view.h"

#define LOCK_TEXT 320

static void name_find(const struct lock_view *v, __u64 addr, struct lockname *name)
{
	if (v->known && v->known->addr == addr)
		*name = *v->known;
	else
		locknames_find(v->names, addr, v->when_ns, v->prog, name);
}

void lock_view_put(FILE *out, const struct lock_view *v, __u64 addr)
{
	char text[LOCK_TEXT];
	struct lockname name;

	name_find(v, addr, &name);
	lockname_text(&name, v->no_addr, text, sizeof(text));
	fputs(escaped(text), out);
	/* A variable's name alone does not say which of two loaded copies it is. */
	if (name.map_id)
		fprintf(out, "(map %u)", name.map_id);
}

/* Of a failure: if the address has no name, the lock is one inside the map. */
static void name_find_inside(const struct lock_view *v, __u64 addr, __u32 map_id,
			     struct lockname *name)
{
	if (addr && v->known && v->known->addr == addr)
		*name = *v->known;
	else
		locknames_find_inside(v->names, addr, v->when_ns, v->prog, map_id, name);
}

void lock_view_put_or(FILE *out, const struct lock_view *v, __u64 addr, __u32 map_id)
{
	char text[LOCK_TEXT] = "a lock of a map";
	struct lockname name;

	name_find_inside(v, addr, map_id, &name);
	if (addr || name.map_id)
		lockname_text(&name, v->no_addr, text, sizeof(text));
	fputs(escaped(text), out);
	if (name.map_id || !addr)
		fprintf(out, "(map %u)", name.map_id ?: map_id);
}

static json_t *int_or_null(__s64 v, bool known)
{
	return known ? json_integer(v) : json_null();
}

json_t *lockname_json(const struct lockname *n, bool no_addr)
{
	char text[LOCK_TEXT], hex[24];
	json_t *j;

	if (!n->addr && !n->map_id)
		return json_null();
	lockname_text(n, no_addr, text, sizeof(text));
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)n->addr);
	j = json_object();
	json_object_set_new(j, "name", n->map_id || n->path[0] ? json_text(text) : json_null());
	json_object_set_new(j, "map_id", int_or_null(n->map_id, n->map_id));
	json_object_set_new(j, "map", json_text(n->map));
	json_object_set_new(j, "map_type", json_text(n->map_type));
	json_object_set_new(j, "internal", json_text(n->internal));
	json_object_set_new(j, "index", int_or_null(n->index, n->index >= 0));
	json_object_set_new(j, "key", strcmp(n->key, "?") ? json_text(n->key) : json_null());
	json_object_set_new(j, "path", json_text(n->path));
	json_object_set_new(j, "addr", no_addr || !n->addr ? json_null() : json_string(hex));
	return j;
}

json_t *lock_view_json(const struct lock_view *v, __u64 addr)
{
	struct lockname n = { 0 };

	if (addr)
		name_find(v, addr, &n);
	return lockname_json(&n, v->no_addr);
}

json_t *lock_view_json_or(const struct lock_view *v, __u64 addr, __u32 map_id)
{
	struct lockname n;

	name_find_inside(v, addr, map_id, &n);
	return lockname_json(&n, v->no_addr);
}
