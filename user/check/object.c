// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/cputime.h"
#include "check/constants.h"
#include "check/object.h"
#include "check/progtype.h"
#include "check/sizes.h"

#define LOAD_TRIES 20
#define LOG_SIZE   (1 << 20)

static ssize_t file_read(int fd, char *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, to + done, size - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		done += n > 0 ? n : 0;
	}
	return done;
}

int object_read(struct object *o, const char *path, struct load_opts *opts)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	*o = (struct object){ .path = path, .opts = opts };
	if (fd < 0)
		return -errno;
	n = fstat(fd, &st) ? -errno : st.st_size;
	o->image = n >= 0 ? malloc(n + 1) : NULL;
	if (n >= 0)
		n = o->image ? file_read(fd, o->image, n) : -ENOMEM;
	close(fd);
	if (n < 0)
		return n;
	o->size = n;
	o->refs = refs_read(o->image, o->size);
	refs_weaken(o->image, o->size);
	return 0;
}

void object_close(struct object *o)
{
	bpf_object__close(o->obj);
	o->obj = NULL;
}

void object_free(struct object *o)
{
	object_close(o);
	refs_free(o->refs);
	for (size_t i = 0; i < o->nr_progs; i++) {
		free(o->progs[i].log);
		free(o->progs[i].reason);
	}
	for (size_t i = 0; i < o->nr_maps; i++) {
		free(o->maps[i].pin);
		free(o->maps[i].why);
		if (o->maps[i].inner)
			close(o->maps[i].inner);
		if (o->maps[i].kept)
			close(o->maps[i].kept);
	}
	for (size_t i = 0; i < o->nr_members; i++) {
		free(o->members[i].map);
		free(o->members[i].member);
	}
	free(o->progs);
	free(o->maps);
	free(o->members);
	free(o->config);
	free(o->image);
	said_free(&o->said);
	*o = (struct object){};
}

/* libbpf lists an object's programs and maps in the same order each time. */
static int object_count(struct object *o)
{
	struct bpf_program *prog;
	struct bpf_map *map;

	if (o->progs)
		return 0;
	bpf_object__for_each_program(prog, o->obj) o->nr_progs++;
	bpf_object__for_each_map(map, o->obj) o->nr_maps++;
	o->progs = calloc(o->nr_progs + 1, sizeof(*o->progs));
	o->maps = calloc(o->nr_maps + 1, sizeof(*o->maps));
	if (!o->progs || !o->maps)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_progs; i++) {
		o->progs[i].log = calloc(1, LOG_SIZE);
		if (!o->progs[i].log)
			return -ENOMEM;
	}
	return 0;
}

/* The name that libbpf gives to an object from a file: names of section maps begin with it. */
static const char *object_name(const struct object *o, char buf[64])
{
	const char *base = strrchr(o->path, '/');

	snprintf(buf, 64, "%s", base ? base + 1 : o->path);
	buf[strcspn(buf, ".")] = 0;
	return buf;
}

static void prepare_type(struct object *o, struct bpf_program *prog, struct object_prog *p)
{
	const struct load_type *given;
	enum bpf_attach_type attach = 0;

	if (!progtype_is_open(prog))
		return;
	given = load_opts_type(o->opts, bpf_program__name(prog));
	p->type = given ? given->type : progtype_guess(o->obj, prog, &attach);
	p->guessed = !given;
	if (!p->type)
		return;
	bpf_program__set_type(prog, p->type);
	bpf_program__set_expected_attach_type(prog, given ? given->attach : attach);
}

static void prepare_progs(struct object *o, size_t from, size_t only)
{
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog, o->obj)
	{
		struct object_prog *p = &o->progs[i];
		bool wanted = only == OBJECT_ALL ? i >= from : i == only;

		*p->log = 0;
		prepare_type(o, prog, p);
		bpf_program__set_log_buf(prog, p->log, LOG_SIZE);
		bpf_program__set_autoload(prog, !p->off && wanted);
		i++;
	}
}

static bool prog_is_off(const struct object *o, const void *pointer)
{
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog,
				     o->obj) if (o->progs[i++].off && prog == pointer) return true;
	return false;
}

/* libbpf loads each program that a struct_ops names, so clear those that are off. */
static void clear_programs(const struct object *o, struct bpf_map *map)
{
	size_t size = 0;
	char *data = bpf_map__initial_value(map, &size);

	for (size_t at = 0; data && at + sizeof(void *) <= size; at += sizeof(void *)) {
		void *pointer;

		memcpy(&pointer, data + at, sizeof(pointer));
		if (pointer && prog_is_off(o, pointer))
			memset(data + at, 0, sizeof(pointer));
	}
}

/* The structure behind the map's variable, or NULL. */
static const struct btf_type *struct_of(const struct btf *btf, const char *map)
{
	int id = btf ? btf__find_by_name_kind(btf, map, BTF_KIND_VAR) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	while (t && (btf_is_var(t) || btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_struct(t) ? t : NULL;
}

static void clear_member(const struct object *o, struct bpf_map *map, const char *name)
{
	const struct btf *btf = bpf_object__btf(o->obj);
	const struct btf_type *t = struct_of(btf, bpf_map__name(map));
	size_t size = 0;
	char *data = bpf_map__initial_value(map, &size);

	for (int i = 0; data && t && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		__s64 len = btf__resolve_size(btf, m->type);
		__u32 at = btf_member_bit_offset(t, i) / 8;

		if (!strcmp(btf__name_by_offset(btf, m->name_off), name) && len > 0 &&
		    at + len <= (__s64)size)
			memset(data + at, 0, len);
	}
}

static void prepare_struct_ops(const struct object *o, struct bpf_map *map)
{
	if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
		return;
	clear_programs(o, map);
	for (size_t i = 0; i < o->nr_members; i++)
		if (!strcmp(o->members[i].map, bpf_map__name(map)))
			clear_member(o, map, o->members[i].member);
}

void object_keep_maps(struct object *o)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		struct object_map *m = &o->maps[i++];

		if (m->kept || constants_are_in(map) || bpf_map__fd(map) < 0 ||
		    bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		m->kept = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 3);
		m->kept = m->kept < 0 ? 0 : m->kept;
	}
}

static void prepare_map(struct object *o, struct bpf_map *map, struct object_map *m)
{
	const char *pin = bpf_map__pin_path(map);

	if (pin && !m->pin)
		m->pin = strdup(pin);
	bpf_map__set_pin_path(map, NULL);
	prepare_struct_ops(o, map);
	if (m->kept && !bpf_map__reuse_fd(map, m->kept))
		return;
	if (!m->why && !bpf_map__is_internal(map)) {
		m->sized = sizes_complete(map);
		m->sized |= sizes_bound(o->refs, map);
		sizes_inner(map, &m->inner);
	}
	bpf_map__set_autocreate(map, !m->why);
}

static void prepare_maps(struct object *o)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj) prepare_map(o, map, &o->maps[i++]);
	constants_set(o->obj, o->opts);
	if (!o->as_given)
		constants_hide(o->obj);
}

/* With settings of the user the object is opened twice: first to get their types. */
static int object_open_file(struct object *o)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .relaxed_maps = true, .kconfig = o->config);
	char name[64];

	opts.object_name = object_name(o, name);
	o->obj = bpf_object__open_mem(o->image, o->size, &opts);
	if (!o->obj)
		return -errno;
	if (o->config)
		return 0;
	o->config = constants_config(o->obj, o->opts, false);
	if (!o->config)
		return 0;
	object_close(o);
	opts.kconfig = o->config;
	o->obj = bpf_object__open_mem(o->image, o->size, &opts);
	return o->obj ? 0 : -errno;
}

static int object_open(struct object *o, size_t from, size_t only)
{
	int err = object_open_file(o);

	err = err ?: object_count(o);
	if (err)
		return err;
	prepare_progs(o, from, only);
	prepare_maps(o);
	return 0;
}

static int object_try(struct object *o, size_t from, size_t only)
{
	int err;

	object_close(o);
	said_begin(&o->said);
	err = object_open(o, from, only);
	if (!err && bpf_object__load(o->obj))
		err = -errno;
	said_end();
	return err;
}

/* -EAGAIN: a stop of this process, or a debugger that attaches, interrupted the verifier. */
int object_load(struct object *o, size_t from, size_t only)
{
	struct cputime limit;
	int err = -EAGAIN;

	cputime_begin(&limit, o->in_time ? 0 : o->opts->seconds);
	for (int tries = 0; err == -EAGAIN && !limit.over && tries < LOAD_TRIES; tries++)
		err = object_try(o, from, only);
	return cputime_end(&limit) && err ? -ETIME : err;
}
