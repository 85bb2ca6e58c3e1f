// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/grow.h"
#include "check/assume.h"
#include "check/attempt.h"
#include "check/constants.h"
#include "check/progtype.h"
#include "check/sizes.h"
#include "kernel/probe.h"

/*
 * Does the message, of the verifier or of libbpf in its place, mean that the program was made for
 * another kernel?
 */
static bool is_lacking(const char *reason)
{
	static const char *const says[] = { "failed to resolve CO-RE relocation",
					    "is referenced but wasn't resolved",
					    "failed to find the address for kernel symbol",
					    "unable to resolve the kernel symbol",
					    "The address of function ",
					    "cannot find address for kernel function",
					    "JIT does not support",
					    "invalid func unknown#",
					    "unknown func " };

	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++)
		if (strstr(reason, says[i]))
			return true;
	return false;
}

struct absent {
	const struct object *o;
	const char *text; /* the source line that was verified last */
	char *names;
	size_t size;
	FILE *out;
	unsigned int nr;
	bool all;
};

static void absent_name(void *arg, const struct ref *ref)
{
	struct absent *a = arg;

	if (!ref->name || !said_absent(&a->o->said, ref->name) ||
	    constants_is_config(a->o->obj, ref->name) || (!a->all && !strstr(a->text, ref->name)))
		return;
	fprintf(a->out, "%s%s", a->nr++ ? ", " : "", ref->name);
}

/* Externs of the program that this kernel lacks: those named in @text, else all; or NULL. */
static char *absent_names(const struct object *o, const struct bpf_program *prog, const char *text)
{
	struct absent a = { .o = o, .text = text };

	for (int all = 0; o->refs && all < 2 && !a.nr; all++) {
		free(a.names);
		a.names = NULL;
		a.all = all;
		a.out = open_memstream(&a.names, &a.size);
		if (!a.out)
			return NULL;
		refs_each(o->refs, bpf_program__section_name(prog), bpf_program__name(prog),
			  absent_name, &a);
		fclose(a.out);
	}
	if (a.nr)
		return a.names;
	free(a.names);
	return NULL;
}

/* Why the program fails, if @reason names a map that cannot be created; or NULL. */
static char *missing_map(const struct object *o, const char *reason)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		const char *why = o->maps[i++].why;
		char quoted[100], *text = NULL;

		snprintf(quoted, sizeof(quoted), "'%s'", bpf_map__name(map));
		if (!why || !strstr(reason, quoted))
			continue;
		return asprintf(&text, "it uses map %s, which cannot be created: %s",
				bpf_map__name(map), why) < 0 ?
			       NULL :
			       text;
	}
	return NULL;
}

/*
 * libbpf refused the program: it has no known type, its target is missing, or only its loader names
 * the target.
 */
static void explain_libbpf(struct refused *one, const struct bpf_program *prog, const char *said)
{
	char *text = NULL;

	if (bpf_program__type(prog) == BPF_PROG_TYPE_UNSPEC) {
		if (asprintf(&text,
			     "its section \"%s\" tells no type of program, and neither does its "
			     "argument",
			     one->section) < 0)
			return;
		one->said = text;
		one->fix = "give its type with --type, such as --type xdp";
	} else if (bpf_program__type(prog) == BPF_PROG_TYPE_EXT ||
		   (said && strstr(said, "attach target"))) {
		one->said = strdup(said ?: "what it replaces is not known");
		one->fix = "its command says what it attaches to: check what is loaded then, with "
			   "--loaded";
	} else if (said) {
		one->said = strdup(said);
	}
}

/* Without trampolines the kernel's errno does not give the reason. */
static char *missing_trampoline(const struct bpf_program *prog)
{
	enum bpf_prog_type type = bpf_program__type(prog);
	char *text = NULL;

	if ((type != BPF_PROG_TYPE_TRACING && type != BPF_PROG_TYPE_LSM) ||
	    probe_works(PROBE_TRAMPOLINE))
		return NULL;
	return asprintf(&text, "BPF trampolines, which fentry, fexit and LSM need: %s",
			probe_why(PROBE_TRAMPOLINE)) < 0 ?
		       NULL :
		       text;
}

/* A fault that depends on the values in the file may not exist with those that the loader sets. */
static void explain_given(struct refused *one, const struct object *o)
{
	const char *before = o->progs[one->nr].reason;
	char *values = assume_values(o, one->section, one->prog), *text = NULL;

	if (values && before && strcmp(before, one->why.reason) &&
	    asprintf(&text, "with the values in the file, %s, the verifier refuses it: %s", values,
		     one->why.reason) > 0) {
		one->said = text;
		one->verifier = false;
		one->fix = "its command may set other values: give them with --rodata NAME=VALUE";
	}
	free(values);
}

/* The fault is in the whole object: without types none of its maps can hold a lock. */
static void explain_types(struct refused *one, const struct object *o)
{
	if (strstr(one->why.reason, "has to have BTF") && said_with(&o->said, "BTF loading error"))
		one->fix = "the object has BTF, but this kernel refuses it: 'bpftool -d prog load' "
			   "says why; perhaps a naked function, or a newer compiler";
}

/* A kernel without jump tables (for gotox) refuses to create them. */
static bool lacks_jump_tables(const char *said)
{
	return said && strstr(said, "can't create jump table");
}

static void refused_explain(struct refused *one, const struct object *o,
			    const struct bpf_program *prog, const char *said)
{
	const char *reason = one->why.reason;

	if (one->verifier && strstr(reason, "is referenced but wasn't created")) {
		one->said = missing_map(o, reason);
		one->verifier = !one->said;
	}
	if (one->verifier && (one->why.absent_call || is_lacking(reason)))
		one->lacks =
			(one->why.absent_call || strstr(reason, "kfunc") ? absent_names(o, prog, one->why.text) : NULL) ?:
				strdup(reason);
	if (one->verifier && !one->lacks && o->as_given)
		explain_given(one, o);
	if (!one->verifier && !one->said && one->err == EPERM)
		one->lacks = missing_trampoline(prog);
	if (one->verifier)
		explain_types(one, o);
	if (!one->verifier && lacks_jump_tables(said)) {
		one->lacks = strdup("jump tables");
		one->fix = "compile it with -fno-jump-tables, or check it on the machine that it "
			   "runs on";
	}
	if (!one->verifier && !one->said && !one->lacks)
		explain_libbpf(one, prog, said);
}

static void explain_time(struct refused *one, const struct object *o)
{
	char *text = NULL;

	if (asprintf(&text, "the verifier needs more than %g s of CPU time", o->opts->seconds) < 0)
		return;
	one->said = text;
	one->fix = "make the program smaller, or give the verifier more with --load-time";
}

/* Record that program number @nr cannot be loaded. 1 or -ENOMEM. */
static int prog_refuse(struct refusals *r, struct object *o, const struct bpf_program *prog,
		       size_t nr, const char *said, int err)
{
	struct refused one = { .object = strdup(o->path),
			       .prog = strdup(bpf_program__name(prog)),
			       .section = strdup(bpf_program__section_name(prog)),
			       .err = -err,
			       .nr = nr };

	o->progs[nr].off = true;
	if (!one.object || !one.prog || !one.section) {
		refused_free(&one);
		return -ENOMEM;
	}
	one.verifier = err != -ETIME && refusal_find(o->progs[nr].log, &one.why);
	if (err == -ETIME)
		explain_time(&one, o);
	else
		refused_explain(&one, o, prog, said);
	if (one.verifier && !o->as_given && !o->progs[nr].reason)
		o->progs[nr].reason = strdup(one.why.reason);
	err = grow_append((void **)&r->all, &r->nr, &one, sizeof(one));
	if (err)
		refused_free(&one);
	return err ?: 1;
}

/* The program with a log is the one that was refused; those before it were accepted. */
static int learn_log(struct object *o, struct refusals *r, int err, size_t *from)
{
	struct bpf_program *prog;
	size_t i = 0;

	bpf_object__for_each_program(prog, o->obj)
	{
		struct refusal why;

		if (!o->progs[i].off && refusal_find(o->progs[i].log, &why)) {
			*from = i + 1;
			return prog_refuse(r, o, prog, i, NULL, err);
		}
		i++;
	}
	return 0;
}

/* No log: the kernel refuses some programs without a reason, and libbpf refuses others itself. */
static int learn_prog(struct object *o, struct refusals *r, int err, size_t *from)
{
	for (int surely = 1; surely >= 0; surely--) {
		struct bpf_program *prog;
		size_t i = 0;

		bpf_object__for_each_program(prog, o->obj)
		{
			const char *name = bpf_program__name(prog);
			const char *said = said_about(&o->said, "prog", name);
			char failed[200];

			snprintf(failed, sizeof(failed), "prog '%s': failed to load", name);
			if (!o->progs[i].off && (surely ? said_with(&o->said, failed) : said)) {
				*from = surely ? i + 1 : *from;
				return prog_refuse(r, o, prog, i, said, err);
			}
			i++;
		}
	}
	return 0;
}

static char *map_reason(const struct bpf_map *map, const char *said)
{
	const char *fault = sizes_fault(map);
	char *text = NULL;

	if (!fault)
		return strdup(said);
	return asprintf(&text, "%s; %s", fault, said) < 0 ? NULL : text;
}

static int learn_map(struct object *o)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		struct object_map *m = &o->maps[i++];
		const char *said = said_about(&o->said, "map", bpf_map__name(map));

		if (m->why || !said)
			continue;
		m->why = map_reason(map, said);
		return m->why ? 1 : -ENOMEM;
	}
	return 0;
}

/* "struct_ops init_kern ops: Cannot find member x in kernel BTF" */
static int learn_member(struct object *o, const char *said)
{
	struct object_member one = {};
	int err;

	if (sscanf(said, "struct_ops init_kern %m[^:]: Cannot find member %ms in kernel BTF",
		   &one.map, &one.member) != 2) {
		free(one.map);
		return 0;
	}
	for (size_t i = 0; i < o->nr_members; i++)
		if (!strcmp(o->members[i].map, one.map) &&
		    !strcmp(o->members[i].member, one.member)) {
			free(one.map);
			free(one.member);
			return 0;
		}
	err = grow_append((void **)&o->members, &o->nr_members, &one, sizeof(one));
	return err ?: 1;
}

/* This kernel lacks the struct_ops, or has another version of it. */
static int learn_struct_ops(struct object *o)
{
	const char *said = said_with(&o->said, "struct_ops ");
	int learnt = said ? learn_member(o, said) : 0;
	struct bpf_map *map;
	size_t i = 0;

	if (!said || learnt)
		return learnt;
	bpf_object__for_each_map(map, o->obj)
	{
		struct object_map *m = &o->maps[i++];

		if (m->why || bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		m->why = strdup(said);
		learnt++;
	}
	return learnt;
}

/*
 * Settings are made up, as no configuration can be read here. The verifier does not see them,
 * unless o->as_given is set.
 */
static int learn_config(struct object *o)
{
	if (o->made_up || !said_with(&o->said, "failed to open system Kconfig"))
		return 0;
	free(o->config);
	o->config = constants_config(o->obj, o->opts, true);
	o->made_up = true;
	return o->config ? 1 : -ENOMEM;
}

/* libbpf gave no hint: load each program alone. Returns how many cannot be loaded, or -errno. */
static int learn_each(struct object *o, struct refusals *r)
{
	int nr = 0;

	for (size_t i = 0; i < o->nr_progs; i++) {
		int err = o->progs[i].off ? 0 : object_load(o, 0, i);
		struct bpf_program *prog;
		size_t at = 0;

		if (!err)
			continue;
		if (!o->obj)
			return err;
		bpf_object__for_each_program(prog, o->obj) if (at++ == i) break;
		err = prog_refuse(r, o, prog, i, said_first(&o->said), err);
		if (err < 0)
			return err;
		nr++;
	}
	return nr;
}

/* Together the programs take too long: find those that do so alone. 1 or -errno. */
static int learn_slow(struct object *o, struct refusals *r, size_t *from)
{
	struct bpf_program *prog;
	int err = 0;

	for (size_t i = 0; i < o->nr_progs && err >= 0; i++) {
		size_t at = 0;

		if (o->progs[i].off || object_load(o, 0, i) != -ETIME)
			continue;
		if (!o->obj)
			return -ENOMEM;
		bpf_object__for_each_program(prog, o->obj) if (at++ == i) break;
		err = prog_refuse(r, o, prog, i, NULL, -ETIME);
	}
	o->in_time = true;
	*from = 0;
	return err < 0 ? err : 1;
}

static int attempt_learn(struct object *o, struct refusals *r, int err, size_t *from)
{
	int learnt;

	if (err == -ETIME)
		return learn_slow(o, r, from);
	learnt = learn_log(o, r, err, from);
	learnt = learnt ?: learn_prog(o, r, err, from);
	learnt = learnt ?: learn_map(o);
	learnt = learnt ?: learn_struct_ops(o);
	return learnt ?: learn_config(o);
}

/* libbpf leaves out the programs of a struct_ops that this kernel lacks. */
static int refuse_left_out(struct object *o, struct refusals *r)
{
	const char *why = NULL;
	struct bpf_program *prog;
	struct bpf_map *map;
	size_t i = 0;
	int err = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS && !why)
			why = o->maps[i].why;
		i++;
	}
	i = 0;
	bpf_object__for_each_program(prog, o->obj)
	{
		if (err >= 0 && !o->progs[i].off && bpf_program__fd(prog) < 0)
			err = prog_refuse(r, o, prog, i, why ?: "libbpf leaves it out", -ESRCH);
		i++;
	}
	return err < 0 ? err : 0;
}

static bool is_final(const struct object *o, int err)
{
	return !o->obj || err == -EMFILE || err == -ENFILE;
}

int attempt_all(struct object *o, struct refusals *r)
{
	size_t from = 0, tries = 0;
	int err, learnt;

	do {
		err = object_load(o, from, OBJECT_ALL);
		if (!err && !from)
			return refuse_left_out(o, r);
		if (err && is_final(o, err))
			return err;
		/* These programs load, and those before them did earlier: load all. */
		learnt = err ? attempt_learn(o, r, err, &from) : 1;
		if (!err || from >= o->nr_progs)
			from = 0;
		if (!learnt)
			learnt = learn_each(o, r);
	} while (learnt > 0 && ++tries <= 3 * (o->nr_progs + o->nr_maps) + o->nr_members + 8);
	return learnt < 0 ? learnt : err ?: -ELOOP;
}
