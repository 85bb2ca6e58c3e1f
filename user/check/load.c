// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "check/load.h"
#include "check/sizes.h"
#include "kernel/probe.h"

#define LOAD_TRIES 20
#define LOG_SIZE   (1 << 20)
#define ENOTSUPP   524 /* the kernel's own */

/**
 * struct object - an object file, opened
 * @logs: the verifier's, of each program
 * @pins: where each map wants to be pinned, or NULL; nothing is
 * @sized: which maps have no size of their own
 */
struct object {
	const char *path;
	struct bpf_object *obj;
	char **logs, **pins;
	bool *sized;
	size_t nr_progs, nr_maps;
};

static void object_close(struct object *o)
{
	bpf_object__close(o->obj);
	for (size_t i = 0; o->logs && i < o->nr_progs; i++)
		free(o->logs[i]);
	for (size_t i = 0; o->pins && i < o->nr_maps; i++)
		free(o->pins[i]);
	free(o->logs);
	free(o->pins);
	free(o->sized);
	*o = (struct object){ .path = o->path };
}

static int prepare_maps(struct object *o)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj) o->nr_maps++;
	o->pins = calloc(o->nr_maps + 1, sizeof(*o->pins));
	o->sized = calloc(o->nr_maps + 1, sizeof(*o->sized));
	if (!o->pins || !o->sized)
		return -ENOMEM;
	bpf_object__for_each_map(map, o->obj)
	{
		const char *pin = bpf_map__pin_path(map);

		o->pins[i] = pin ? strdup(pin) : NULL;
		bpf_map__set_pin_path(map, NULL);
		o->sized[i++] = sizes_complete(map);
	}
	return 0;
}

static int prepare_progs(struct object *o)
{
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog, o->obj) o->nr_progs++;
	o->logs = calloc(o->nr_progs + 1, sizeof(*o->logs));
	if (!o->logs)
		return -ENOMEM;
	bpf_object__for_each_program(prog, o->obj)
	{
		o->logs[i] = calloc(1, LOG_SIZE);
		if (!o->logs[i])
			return -ENOMEM;
		bpf_program__set_log_buf(prog, o->logs[i++], LOG_SIZE);
		bpf_program__set_autoload(prog, true);
	}
	return 0;
}

static int object_open(struct object *o)
{
	int err;

	o->obj = bpf_object__open_file(o->path, NULL);
	if (!o->obj)
		return -errno;
	err = prepare_maps(o);
	return err ?: prepare_progs(o);
}

static const struct refused *find(const struct refusals *r, size_t since, const char *prog)
{
	for (size_t i = since; i < r->nr; i++)
		if (!strcmp(r->all[i].prog, prog))
			return &r->all[i];
	return NULL;
}

static int refuse(struct refusals *r, const struct object *o, const struct bpf_program *prog,
		  const char *log, int err)
{
	struct refused *all = realloc(r->all, (r->nr + 1) * sizeof(*all)), *one;

	if (!all)
		return -ENOMEM;
	r->all = all;
	one = &all[r->nr];
	memset(one, 0, sizeof(*one));
	one->object = strdup(o->path);
	one->prog = strdup(bpf_program__name(prog));
	one->section = strdup(bpf_program__section_name(prog));
	one->err = err;
	one->verifier = refusal_find(log, &one->why);
	if (!one->object || !one->prog || !one->section) {
		free(one->object);
		free(one->prog);
		free(one->section);
		return -ENOMEM;
	}
	r->nr++;
	return 0;
}

void refusals_free(struct refusals *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		free(r->all[i].object);
		free(r->all[i].prog);
		free(r->all[i].section);
	}
	free(r->all);
	*r = (struct refusals){};
}

/* A stop, or a debugger that attaches, ends the verifier's work early. only: one program, or NULL.
 */
static int object_load(struct object *o, const struct refusals *r, size_t since, const char *only)
{
	int err = -EAGAIN;

	for (int tries = 0; err == -EAGAIN && tries < LOAD_TRIES; tries++) {
		struct bpf_program *prog;

		object_close(o);
		err = object_open(o);
		if (err)
			return err;
		bpf_object__for_each_program(prog, o->obj)
		{
			const char *name = bpf_program__name(prog);

			bpf_program__set_autoload(prog, !find(r, since, name) &&
								(!only || !strcmp(only, name)));
		}
		err = bpf_object__load(o->obj) ? -errno : 0;
	}
	return err;
}

/* The one with a log is the one that was refused. */
static int refuse_logged(struct refusals *r, const struct object *o, int err)
{
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog, o->obj)
	{
		const char *log = o->logs[i++];
		struct refusal why;

		if (refusal_find(log, &why))
			return refuse(r, o, prog, log, err) ?: 1;
	}
	return 0;
}

static int refuse_alone(struct refusals *r, const struct object *o, size_t since, const char *name)
{
	struct object alone = { .path = o->path };
	int err = object_load(&alone, r, since, name), nr = 0;

	if (err && alone.obj) {
		nr = refuse_logged(r, &alone, -err);
		if (!nr)
			nr = refuse(r, &alone, bpf_object__find_program_by_name(alone.obj, name), "", -err) ?:
				     1;
	}
	object_close(&alone);
	return nr;
}

/* Which of them cannot be loaded? How many were found, or -errno. */
static int refuse_each(struct refusals *r, const struct object *o, size_t since)
{
	struct bpf_program *prog;
	int nr = 0;

	bpf_object__for_each_program(prog, o->obj)
	{
		int ret = find(r, since, bpf_program__name(prog)) ?
				  0 :
				  refuse_alone(r, o, since, bpf_program__name(prog));

		if (ret < 0)
			return ret;
		nr += ret;
	}
	return nr;
}

/* Without those that cannot be loaded. */
static int load_rest(struct object *o, struct refusals *r)
{
	size_t since = r->nr;
	int err, ret;

	for (;;) {
		err = object_load(o, r, since, NULL);
		if (!err || !o->obj || err == -EMFILE || err == -ENFILE || err == -ENOMEM)
			return err;
		ret = refuse_logged(r, o, -err);
		if (!ret)
			ret = refuse_each(r, o, since);
		if (ret <= 0)
			return ret ?: err;
	}
}

static int read_maps(const struct object *o, struct check_set *set)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		struct bpf_map_info info = {};
		__u32 len = sizeof(info);
		const char *pin = o->pins[i], *sized = o->sized[i] ? o->path : NULL;

		i++;
		if (bpf_map__fd(map) < 0 || bpf_map_get_info_by_fd(bpf_map__fd(map), &info, &len))
			continue;
		check_name_map(set, info.id, bpf_map__name(map), pin, sized);
	}
	return 0;
}

static int read_object(const struct object *o, struct check_set *set)
{
	struct bpf_program *prog;
	int err;

	bpf_object__for_each_program(prog, o->obj)
	{
		if (bpf_program__fd(prog) < 0)
			continue;
		err = check_add_prog(set, bpf_program__fd(prog), o->path,
				     bpf_program__section_name(prog));
		if (err)
			return err;
	}
	return read_maps(o, set);
}

static int explain_open(const char *path, int err)
{
	if (err == -ENOENT || err == -ESRCH)
		pr_err("%s: neither the object nor this kernel defines one of its externs (-vv shows "
		       "which)",
		       path);
	else if (err == -EOPNOTSUPP)
		pr_err("%s: made for older versions of libbpf: maps in a section \"maps\", or calls "
		       "that cannot be linked (-vv shows what libbpf says)",
		       path);
	else if (err == -EINVAL || err <= -LIBBPF_ERRNO__LIBELF)
		pr_err("%s: not a BPF object, or a damaged one; -vv shows what libbpf says", path);
	else
		pr_err("%s: %s", path, strerror(-err));
	return -ENOEXEC;
}

static int explain_load(const char *path, int err)
{
	if (err == -EMFILE || err == -ENFILE) {
		pr_err("%s: cannot be loaded: %s: raise the limit (ulimit -n)", path,
		       strerror(-err));
		return err;
	}
	if (!probe_kfuncs()) {
		pr_err("%s: this kernel has no resilient locks (%s); 'rqspin doctor' says how to "
		       "get them",
		       path, probe_why(PROBE_KFUNCS));
		return -EOPNOTSUPP;
	}
	/* Types and functions that the object names; programs alone would have been left out. */
	if (err == -ESRCH || err == -ENOENT || err == -EOPNOTSUPP || err == -ENOTSUPP) {
		pr_err("%s: cannot be loaded: this kernel lacks something that it names; -vv shows "
		       "what",
		       path);
		return -EOPNOTSUPP;
	}
	pr_err("%s: cannot be loaded: %s; -vv shows what libbpf says", path, strerror(-err));
	return -EACCES;
}

static void try_load(void *path)
{
	struct object o = { .path = path };
	struct refusals none = {};

	if (!object_open(&o))
		object_load(&o, &none, 0, NULL);
	object_close(&o);
}

static int load_and_read(struct object *o, struct check_set *set, struct refusals *refusals)
{
	int err = load_rest(o, refusals);

	if (err && !o->obj)
		return explain_open(o->path, err);
	if (err)
		return explain_load(o->path, err);
	err = read_object(o, set);
	if (err)
		pr_err("%s: its programs cannot be read back: %s", o->path, strerror(-err));
	return err;
}

/* A reader of a FIFO would wait for ever. */
static bool is_readable(const char *path)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st)) {
		pr_err("%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode))
		pr_err("%s: a folder: name the objects in it, such as %s/*.bpf.o", path, path);
	else if (!S_ISREG(st.st_mode))
		pr_err("%s: not a regular file", path);
	return S_ISREG(st.st_mode);
}

int check_load(const char *path, struct check_set *set, struct refusals *refusals)
{
	struct object o = { .path = path };
	int err, sig;

	if (!is_readable(path))
		return -EACCES;
	sig = rehearse(try_load, (void *)path);
	if (sig) {
		pr_err("%s: a damaged object: libbpf crashes on it (%s)", path, strsignal(sig));
		return -ENOEXEC;
	}
	/* What is refused is told as a finding. */
	log_trying(true);
	err = load_and_read(&o, set, refusals);
	object_close(&o);
	log_trying(false);
	return err;
}
