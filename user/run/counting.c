// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "kernel/heldtab.h"
#include "kernel/probe.h"
#include "run/counting.h"
#include "run/pins.h"
#include "run/workload.h"

static int map_share(struct bpf_map *map, struct bpf_object *from)
{
	struct bpf_map *same = bpf_object__find_map_by_name(from, bpf_map__name(map));

	if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
		return bpf_map__set_autocreate(map, false);
	if (bpf_map__set_pin_path(map, NULL))
		return -EINVAL;
	return same && bpf_map__fd(same) >= 0 ? bpf_map__reuse_fd(map, bpf_map__fd(same)) : 0;
}

/* @from: the object whose maps the copy shares; NULL: the copy has its own */
static int copy_prepare(struct bpf_object *copy, struct bpf_object *from, const char *prog_name)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_program(prog, copy)
	{
		bool wanted = !strcmp(bpf_program__name(prog), prog_name);

		err = err ?: bpf_program__set_autoload(prog, wanted);
	}
	if (!from)
		pins_none(copy, true);
	bpf_object__for_each_map(map, copy)
	{
		if (from)
			err = err ?: map_share(map, from);
	}
	return err;
}

static struct bpf_object *copy_load(const struct linked *l, struct bpf_object *obj, bool share,
				    const char *prog_name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = bpf_object__name(obj));
	struct bpf_object *copy = bpf_object__open_mem(l->elf, l->size, &opts);
	int err = copy ? copy_prepare(copy, share ? obj : NULL, prog_name) : -errno;

	if (!err)
		err = bpf_object__load(copy);
	if (!err)
		return copy;
	bpf_object__close(copy);
	errno = -err;
	return NULL;
}

static int calls_map(struct counting *c, unsigned int i)
{
	int fd = bpf_object__find_map_fd_by_name(c->objs[i], COUNTED_MAP);
	void *mem = mmap(NULL, sizeof(**c->calls), PROT_READ, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED)
		return -errno;
	c->calls[i] = mem;
	return 0;
}

static int copies_load(struct counting *c, struct bpf_object *obj, bool share,
		       const struct role *roles)
{
	int err = 0;

	for (unsigned int i = 0; i < c->nr && !err; i++) {
		bpf_object__close(c->objs[i]);
		c->objs[i] = copy_load(&c->linked, obj, share, roles[i].prog);
		err = c->objs[i] ? calls_map(c, i) : -errno;
	}
	if (!err && !share && heldtab_arm_object(c->objs[0]))
		pr_debug("its events will not list the held locks");
	return err;
}

static void role_switch(struct role *r, struct bpf_object *copy)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	r->prog_fd = bpf_program__fd(bpf_object__find_program_by_name(copy, r->prog));
	if (!bpf_prog_get_info_by_fd(r->prog_fd, &info, &size))
		r->prog_id = info.id;
}

static int counting_try(struct counting *c, struct bpf_object *obj, const char *path,
			const struct role *roles)
{
	int err;

	if (!probe_kfuncs()) {
		snprintf(c->linked.why, sizeof(c->linked.why),
			 "this kernel has no lock functions whose calls could be counted");
		return -EOPNOTSUPP;
	}
	/* This lock records one place of each waiter: it would be in the functions that count. */
	if (probe_works(PROBE_TRACEPOINT)) {
		snprintf(
			c->linked.why, sizeof(c->linked.why),
			"on this kernel counting would hide your source lines from 'rqspin trace'");
		return -EOPNOTSUPP;
	}
	err = linked_make(&c->linked, path);
	if (err)
		return err;
	log_trying(true);
	err = copies_load(c, obj, true, roles);
	/* Maps with lists, trees or kptrs are only for programs of the object that made them. */
	if (err && c->nr == 1)
		err = copies_load(c, obj, false, roles);
	log_trying(false);
	if (err)
		snprintf(c->linked.why, sizeof(c->linked.why),
			 "the kernel does not load it with counters (%s)", strerror(-err));
	return err;
}

int counting_start(struct counting *c, struct bpf_object *obj, const char *path, struct role *roles,
		   unsigned int nr)
{
	int err;

	*c = (struct counting){ .objs = calloc(nr, sizeof(*c->objs)),
				.calls = calloc(nr, sizeof(*c->calls)),
				.nr = nr };
	err = c->objs && c->calls ? counting_try(c, obj, path, roles) : -ENOMEM;
	linked_free(&c->linked);
	if (err) {
		counting_stop(c);
		return err;
	}
	for (unsigned int i = 0; i < nr; i++)
		role_switch(&roles[i], c->objs[i]);
	return 0;
}

void counting_stop(struct counting *c)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		if (c->calls && c->calls[i])
			munmap((void *)c->calls[i], sizeof(**c->calls));
		if (c->objs)
			bpf_object__close(c->objs[i]);
	}
	free(c->calls);
	free(c->objs);
	c->calls = NULL;
	c->objs = NULL;
	c->nr = 0;
}
