// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "check/arena.h"
#include "check/assume.h"
#include "check/attempt.h"
#include "check/constants.h"
#include "check/load.h"
#include "check/object.h"
#include "kernel/probe.h"

#define ENOTSUPP 524 /* the kernel's own */

static void read_constants(const struct object *o, const struct bpf_map *map, __u32 id,
			   struct check_set *set)
{
	__u32 zero = 0;
	void *data = calloc(1, bpf_map__value_size(map) + 1);

	if (!data || bpf_map_lookup_elem(bpf_map__fd(map), &zero, data)) {
		free(data);
		return;
	}
	constants_write(o->obj, map, data, o->opts);
	check_fix_map(set, id, data, constants_known(o->obj, map, o->opts));
}

static __u32 map_id(const struct bpf_map *map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_map__fd(map) < 0 || bpf_map_get_info_by_fd(bpf_map__fd(map), &info, &len))
		return 0;
	return info.id;
}

static void read_maps(const struct object *o, struct check_set *set)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		const struct object_map *m = &o->maps[i++];
		__u32 id = map_id(map);

		if (!id)
			continue;
		check_name_map(set, id, bpf_map__name(map), m->pin, m->sized ? o->path : NULL);
		if (!bpf_map__is_internal(map))
			check_own_map(set, id, o->path);
		if (constants_are_in(map) && !o->as_given)
			read_constants(o, map, id, set);
	}
}

static int read_object(const struct object *o, struct check_set *set, size_t *nr)
{
	struct bpf_program *prog;
	int fd, err;

	read_maps(o, set);
	bpf_object__for_each_program(prog, o->obj)
	{
		fd = bpf_program__fd(prog);
		if (fd < 0)
			continue;
		err = check_add_prog(set, fd, o->path, bpf_program__section_name(prog)) ?:
			      arena_add(set, fd);
		if (err)
			return err;
		++*nr;
		assume_prog(set, o, prog);
	}
	return 0;
}

static int explain_open(const struct object *o, int err)
{
	const char *said = said_first(&o->said);

	if (err == -EOPNOTSUPP && strstr(said, "linkage static"))
		pr_err("%s: libbpf takes no map that is static: leave that word out (libbpf: %s)",
		       o->path, said);
	else if (err == -EOPNOTSUPP)
		pr_err("%s: made for older versions of libbpf: maps in a section \"maps\", or calls "
		       "that cannot be linked (libbpf: %s)",
		       o->path, said);
	else if (*said && strncmp(said, "elf: ", strlen("elf: ")))
		pr_err("%s: libbpf does not take it: %s", o->path, said);
	else if (err == -EINVAL || err <= -LIBBPF_ERRNO__LIBELF || err == -ENOENT || err == -ESRCH)
		pr_err("%s: not a BPF object, or a damaged one%s%s%s", o->path,
		       *said ? " (libbpf: " : "", said, *said ? ")" : "");
	else
		pr_err("%s: %s", o->path, strerror(-err));
	return -ENOEXEC;
}

static int explain_load(const struct object *o, int err)
{
	const char *said = said_first(&o->said);

	if (err == -EMFILE || err == -ENFILE) {
		pr_err("%s: cannot be loaded: %s: raise the limit (ulimit -n)", o->path,
		       strerror(-err));
		return err;
	}
	if (!probe_kfuncs() && !probe_known(PROBE_KFUNCS)) {
		pr_err("%s: cannot be loaded: %s", o->path, probe_why(PROBE_KFUNCS));
		return -EOPNOTSUPP;
	}
	if (!probe_kfuncs()) {
		pr_err("%s: this kernel has no resilient locks (%s); 'rqspin doctor' says how to "
		       "get them",
		       o->path, probe_why(PROBE_KFUNCS));
		return -EOPNOTSUPP;
	}
	pr_err("%s: cannot be loaded: %s%s%s%s", o->path,
	       strerror(err == -ENOTSUPP ? EOPNOTSUPP : -err), *said ? " (libbpf: " : "", said,
	       *said ? ")" : "");
	/*
	 * The object names types or functions that this kernel lacks; a mere program would have
	 * been left out.
	 */
	return err == -ESRCH || err == -ENOENT || err == -EOPNOTSUPP || err == -ENOTSUPP ?
		       -EOPNOTSUPP :
		       -EACCES;
}

static int explain_attempt(const struct object *o, int err)
{
	return o->obj ? explain_load(o, err) : explain_open(o, err);
}

static bool may_use_constants(const struct object *o, const struct refused *one)
{
	struct bpf_map *map;

	if (o->refs)
		return one->verifier && assume_uses_constants(o, one->section, one->prog);
	bpf_object__for_each_map(map, o->obj) if (constants_are_in(map)) return one->verifier;
	return false;
}

/*
 * Prepare another load, with the values in the file, of the refused programs that read constants:
 * the verifier may need to know them. False: there is no such program.
 */
static bool prepare_given(struct object *o, struct refusals *r, size_t since)
{
	size_t kept = since;
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog, o->obj) o->progs[i++].off = true;
	for (size_t nr = since; nr < r->nr; nr++) {
		struct refused one = r->all[nr];

		if (!may_use_constants(o, &one)) {
			r->all[nr] = r->all[kept];
			r->all[kept++] = one;
		}
	}
	for (size_t nr = kept; nr < r->nr; nr++)
		o->progs[r->all[nr].nr].off = false;
	if (kept == r->nr)
		return false;
	refusals_forget(r, kept);
	o->as_given = true;
	return true;
}

struct rehearsal {
	const char *path;
	struct load_opts *opts;
};

/* CPU time of all but the verifier: libbpf itself needs next to none. */
#define OTHER_SECONDS 60

static void try_load(void *arg)
{
	const struct rehearsal *r = arg;
	struct rlimit limit;
	struct object o;

	if (!getrlimit(RLIMIT_CPU, &limit) && limit.rlim_cur > r->opts->seconds + OTHER_SECONDS) {
		limit.rlim_cur = r->opts->seconds + OTHER_SECONDS;
		setrlimit(RLIMIT_CPU, &limit);
	}

	if (!object_read(&o, r->path, r->opts))
		object_load(&o, 0, OBJECT_ALL);
	object_free(&o);
}

/*
 * Load with unknown constants first, then, where the verifier needs to know them, with the given
 * ones.
 */
static int load_and_read(struct object *o, struct check_set *set, struct refusals *r, size_t *nr)
{
	size_t since = r->nr;
	int err = 0;

	do {
		err = attempt_all(o, r);
		if (err)
			return explain_attempt(o, err);
		err = read_object(o, set, nr);
		if (err) {
			pr_err("%s: its programs cannot be read back: %s", o->path, strerror(-err));
			return err;
		}
		object_keep_maps(o);
	} while (!o->as_given && prepare_given(o, r, since));
	assume_object(set, o);
	return 0;
}

/* If nothing was looked at, that is an error, unless the verifier's refusal is a finding. */
static int tell_nothing(const struct object *o, const struct refusals *r, size_t since)
{
	bool lacks = true;

	for (size_t i = since; i < r->nr; i++) {
		const struct refused *one = &r->all[i];

		if (one->verifier && !one->lacks)
			return 0;
		lacks &= one->lacks || one->err == ESRCH || one->err == ENOTSUPP ||
			 one->err == EOPNOTSUPP;
	}
	if (since == r->nr)
		pr_err("%s: there is no program in it", o->path);
	else
		pr_err("%s: none of its programs could be looked at (%zu): see the notes", o->path,
		       r->nr - since);
	return lacks && since < r->nr ? -EOPNOTSUPP : -EACCES;
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

static int object_load_progs(struct object *o, struct check_set *set, struct refusals *refusals)
{
	size_t since = refusals->nr, nr = 0;
	int err;

	/* Refusals are reported as findings. */
	log_trying(true);
	err = load_and_read(o, set, refusals, &nr);
	log_trying(false);
	return err || nr ? err : tell_nothing(o, refusals, since);
}

int check_load(const char *path, struct load_opts *opts, struct check_set *set,
	       struct refusals *refusals)
{
	struct rehearsal rehearsal = { .path = path, .opts = opts };
	struct object o;
	int err, sig;

	if (!is_readable(path))
		return -EACCES;
	sig = rehearse_in_child(try_load, &rehearsal);
	if (sig) {
		pr_err("%s: %s", path, rehearse_text(sig));
		return -ENOEXEC;
	}
	err = object_read(&o, path, opts);
	if (err)
		pr_err("%s: %s", path, strerror(-err));
	else
		err = object_load_progs(&o, set, refusals);
	object_free(&o);
	return err;
}

int check_load_end(const struct load_opts *opts)
{
	int err = 0;

	for (size_t i = 0; i < opts->nr_values; i++) {
		if (opts->values[i].used)
			continue;
		pr_err("--rodata %s: no object has such a constant, or it has no such element or "
		       "no room for the value %lld",
		       opts->values[i].name, opts->values[i].value);
		err = -ENOENT;
	}
	for (size_t i = 0; i < opts->nr_types; i++) {
		if (opts->types[i].used || !opts->types[i].prog)
			continue;
		pr_err("--type: no object has a program %s whose section does not tell its type",
		       opts->types[i].prog);
		err = -ENOENT;
	}
	return err;
}
