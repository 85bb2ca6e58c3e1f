// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "check/constants.h"
#include "check/load_opts.h"

#define KCONFIG ".kconfig"

/* A variable in a section of constants. */
struct variable {
	const char *name;
	__u32 type, off, size;
	bool open;
};

/* The type of a section, or NULL. */
static const struct btf_type *section_type(const struct btf *btf, const char *name)
{
	int id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_DATASEC) : -1;

	return id > 0 ? btf__type_by_id(btf, id) : NULL;
}

static const struct btf_type *type_strip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The compiler may rely on the value of data that is const, but not volatile. */
static bool type_is_volatile(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_array(t))) {
		if (btf_is_volatile(t))
			return true;
		t = btf__type_by_id(btf, btf_is_array(t) ? btf_array(t)->type : t->type);
	}
	return false;
}

static bool variable_get(const struct btf *btf, const struct btf_type *section, int nr,
			 struct variable *v)
{
	const struct btf_var_secinfo *info = &btf_var_secinfos(section)[nr];
	const struct btf_type *t = btf__type_by_id(btf, info->type);
	const char *in = btf__name_by_offset(btf, section->name_off);

	if (!t || !btf_is_var(t))
		return false;
	*v = (struct variable){ .name = btf__name_by_offset(btf, t->name_off),
				.type = t->type,
				.off = info->offset,
				.size = info->size };
	v->open = !strcmp(in, KCONFIG) || type_is_volatile(btf, t->type);
	return v->name;
}

/* libbpf puts the object's name before that of some sections. */
static const char *section_of(const struct bpf_map *map)
{
	const char *name = bpf_map__name(map), *at;

	if (!bpf_map__is_internal(map))
		return NULL;
	at = strstr(name, ".rodata");
	return at ?: strstr(name, KCONFIG);
}

bool constants_are_in(const struct bpf_map *map)
{
	return section_of(map);
}

/*
 * BPF_F_MMAPABLE is dropped, too: libbpf would map the data for writing, which the kernel refuses
 * once the map is frozen.
 */
void constants_hide(struct bpf_object *obj)
{
	const __u32 without = BPF_F_RDONLY_PROG | BPF_F_MMAPABLE;
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) if (constants_are_in(map))
		bpf_map__set_map_flags(map, bpf_map__map_flags(map) & ~without);
}

/* Does it fit as a signed or as an unsigned number? */
static bool value_fits(long long value, __u32 size)
{
	int bits = size * 8;

	return bits == 64 || (value >= -(1LL << (bits - 1)) && value < 1LL << bits);
}

/* Offset of the value in its variable; -1 if it does not fit. */
static int value_place(const struct btf *btf, const struct variable *v,
		       const struct load_value *value, __u32 *size)
{
	const struct btf_type *t = type_strip(btf, v->type);
	__u64 nr = 0;

	while (t && btf_is_array(t)) {
		nr = nr ? nr * btf_array(t)->nelems : btf_array(t)->nelems;
		t = type_strip(btf, btf_array(t)->type);
	}
	*size = t && (btf_is_int(t) || btf_is_any_enum(t)) ? t->size : 0;
	if (!*size || *size > sizeof(value->value) || value->index >= (nr ?: 1) ||
	    !value_fits(value->value, *size))
		return -1;
	return value->index * *size;
}

/* Offset in the section, if the value is for this variable and fits; else -1. */
static int value_of(const struct btf *btf, const struct variable *v, struct load_value *value,
		    __u32 *size)
{
	int at = strcmp(value->name, v->name) ? -1 : value_place(btf, v, value, size);

	if (at < 0)
		return -1;
	value->used = true;
	return v->off + at;
}

static void section_write(const struct btf *btf, const char *name, void *data, size_t room,
			  const struct load_opts *opts)
{
	const struct btf_type *section = section_type(btf, name);
	struct variable v;

	for (int i = 0; section && i < btf_vlen(section); i++) {
		if (!variable_get(btf, section, i, &v))
			continue;
		for (size_t nr = 0; nr < opts->nr_values; nr++) {
			__u32 size;
			int at = value_of(btf, &v, &opts->values[nr], &size);

			if (at >= 0 && at + size <= room)
				memcpy((char *)data + at, &opts->values[nr].value, size);
		}
	}
}

void constants_set(struct bpf_object *obj, struct load_opts *opts)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		size_t room = 0;
		void *data = constants_are_in(map) ? bpf_map__initial_value(map, &room) : NULL;

		if (data)
			section_write(bpf_object__btf(obj), section_of(map), data, room, opts);
	}
}

void constants_write(const struct bpf_object *obj, const struct bpf_map *map, void *data,
		     const struct load_opts *opts)
{
	section_write(bpf_object__btf(obj), section_of(map), data, bpf_map__value_size(map), opts);
}

unsigned char *constants_known(const struct bpf_object *obj, const struct bpf_map *map,
			       const struct load_opts *opts)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_type *section = section_type(btf, section_of(map));
	__u32 room = bpf_map__value_size(map);
	unsigned char *known = calloc(1, room);
	struct variable v;

	if (known && section)
		memset(known, 1, room);
	for (int i = 0; known && section && i < btf_vlen(section); i++) {
		if (!variable_get(btf, section, i, &v) || !v.open || v.off > room ||
		    v.size > room - v.off)
			continue;
		memset(known + v.off, 0, v.size);
		for (size_t nr = 0; nr < opts->nr_values; nr++) {
			__u32 size;
			int at = value_of(btf, &v, &opts->values[nr], &size);

			if (at >= 0 && at + size <= room)
				memset(known + at, 1, size);
		}
	}
	return known;
}

const char *constants_find(const struct bpf_object *obj, const char *section, __u64 off)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_type *t = section_type(btf, section);
	struct variable v;

	if (strncmp(section, ".rodata", strlen(".rodata")))
		return NULL;
	for (int i = 0; t && i < btf_vlen(t); i++)
		if (variable_get(btf, t, i, &v) && v.open && off >= v.off && off < v.off + v.size)
			return v.name;
	return NULL;
}

bool constants_is_config(const struct bpf_object *obj, const char *name)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_type *t = section_type(btf, KCONFIG);
	struct variable v;

	for (int i = 0; t && i < btf_vlen(t); i++)
		if (variable_get(btf, t, i, &v) && !strcmp(v.name, name))
			return true;
	return false;
}

static const struct load_value *value_named(const struct load_opts *opts, const char *name)
{
	for (size_t i = 0; i < opts->nr_values; i++)
		if (!strcmp(opts->values[i].name, name))
			return &opts->values[i];
	return NULL;
}

static void config_line(FILE *out, const struct btf *btf, const struct variable *v,
			const struct load_value *value)
{
	const struct btf_type *t = type_strip(btf, v->type);
	long long n = value ? value->value : 0;

	if (!t || btf_is_array(t))
		fprintf(out, "%s=\"\"\n", v->name);
	else if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
		fprintf(out, "%s=%c\n", v->name, n ? 'y' : 'n');
	else if (btf_is_any_enum(t))
		fprintf(out, "%s=%c\n", v->name, "nym"[n >= 0 && n <= 2 ? n : 0]);
	else if (t->size == 1)
		fprintf(out, "%s=%c\n", v->name, n ? 'y' : 'n');
	else
		fprintf(out, "%s=%lld\n", v->name, n);
}

char *constants_config(const struct bpf_object *obj, const struct load_opts *opts, bool all)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct btf_type *t = section_type(btf, KCONFIG);
	struct variable v;
	char *text = NULL;
	size_t size;
	FILE *out = t ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	for (int i = 0; i < btf_vlen(t); i++)
		if (variable_get(btf, t, i, &v) && !strncmp(v.name, "CONFIG_", strlen("CONFIG_")) &&
		    (all || value_named(opts, v.name)))
			config_line(out, btf, &v, value_named(opts, v.name));
	fclose(out);
	if (text && *text)
		return text;
	free(text);
	return NULL;
}

static bool value_text(const struct btf *btf, const struct variable *v, const char *data, char *buf,
		       size_t size)
{
	const struct btf_type *t = type_strip(btf, v->type);
	__u64 n = 0;

	if (!t || !(btf_is_int(t) || btf_is_any_enum(t)) || v->size > sizeof(n))
		return false;
	memcpy(&n, data + v->off, v->size);
	snprintf(buf, size, "%s = %llu", v->name, (unsigned long long)n);
	return true;
}

void constants_text(const struct bpf_object *obj, const char *name, char *buf, size_t size)
{
	const struct btf *btf = bpf_object__btf(obj);
	const struct bpf_map *map;

	snprintf(buf, size, "%s", name);
	bpf_object__for_each_map(map, obj)
	{
		const char *section = section_of(map);
		const struct btf_type *t = section ? section_type(btf, section) : NULL;
		size_t room = 0;
		const char *data = t ? bpf_map__initial_value(map, &room) : NULL;
		struct variable v;

		for (int i = 0; data && i < btf_vlen(t); i++)
			if (variable_get(btf, t, i, &v) && !strcmp(v.name, name) &&
			    v.size <= room && v.off <= room - v.size &&
			    value_text(btf, &v, data, buf, size))
				return;
	}
}
