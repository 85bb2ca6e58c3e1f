// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "check/assume.h"
#include "check/constants.h"

/* A list of names, each once. */
struct names {
	const struct object *o;
	char *text;
	size_t size;
	FILE *out;
	const char *seen[64];
	size_t nr;
};

static bool names_add(struct names *n, const char *name)
{
	size_t room = sizeof(n->seen) / sizeof(n->seen[0]);

	for (size_t i = 0; i < n->nr && i < room; i++)
		if (!strcmp(n->seen[i], name))
			return false;
	if (n->nr < room)
		n->seen[n->nr] = name;
	return true;
}

/* The variable or setting that the reference names, if its value may differ elsewhere; or NULL. */
static const char *constant_of(const struct object *o, const struct ref *ref)
{
	if (ref->section)
		return constants_find(o->obj, ref->section, ref->off);
	return constants_is_config(o->obj, ref->name) ? ref->name : NULL;
}

static void add_constant(void *arg, const struct ref *ref)
{
	struct names *n = arg;
	const char *name = constant_of(n->o, ref);
	char text[160];

	if (!name || !names_add(n, name))
		return;
	constants_text(n->o->obj, name, text, sizeof(text));
	fprintf(n->out, "%s%s", n->nr++ ? ", " : "", text);
}

static void add_absent(void *arg, const struct ref *ref)
{
	struct names *n = arg;

	if (!ref->name || !said_absent(&n->o->said, ref->name) ||
	    constants_is_config(n->o->obj, ref->name) || !names_add(n, ref->name))
		return;
	fprintf(n->out, "%s%s", n->nr++ ? ", " : "", ref->name);
}

/* The names that @add collects from the program, as one list; or NULL. The caller frees it. */
static char *names_of(const struct object *o, const char *section, const char *prog,
		      void (*add)(void *arg, const struct ref *ref))
{
	struct names n = { .o = o };

	if (!o->refs)
		return NULL;
	n.out = open_memstream(&n.text, &n.size);
	if (!n.out)
		return NULL;
	refs_each(o->refs, section, prog, add, &n);
	fclose(n.out);
	if (n.nr)
		return n.text;
	free(n.text);
	return NULL;
}

static void find_any(void *arg, const struct ref *ref)
{
	struct names *n = arg;

	n->nr += (ref->section && !strncmp(ref->section, ".rodata", strlen(".rodata"))) ||
		 (ref->name && constants_is_config(n->o->obj, ref->name));
}

bool assume_uses_constants(const struct object *o, const char *section, const char *prog)
{
	struct names n = { .o = o };

	if (o->refs)
		refs_each(o->refs, section, prog, find_any, &n);
	return n.nr;
}

char *assume_values(const struct object *o, const char *section, const char *prog)
{
	return names_of(o, section, prog, add_constant);
}

static void assume_add(struct check_set *set, const struct object *o, const char *prog,
		       const char *before, const char *what, const char *fix)
{
	char *text;

	if (asprintf(&text, before, prog, what) < 0)
		return;
	check_assume(set, "assumed", o->path, prog, text, fix);
	free(text);
}

static void assume_type(struct check_set *set, const struct object *o,
			const struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog);
	bool replaces = !strncmp(section, "freplace", strlen("freplace"));
	char *text;

	if (asprintf(&text, "%s was loaded as %s, by its argument: %s (\"%s\")",
		     bpf_program__name(prog), libbpf_bpf_prog_type_str(bpf_program__type(prog)),
		     replaces ? "what it replaces is not known" :
				"the name of its section is that of no type",
		     section) < 0)
		return;
	check_assume(set, "assumed", o->path, bpf_program__name(prog), text,
		     "--type says which type it is");
	free(text);
}

void assume_prog(struct check_set *set, const struct object *o, const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog), *section = bpf_program__section_name(prog);
	char *constants = o->as_given ? names_of(o, section, name, add_constant) : NULL;
	char *absent = names_of(o, section, name, add_absent);
	struct bpf_program *each;
	size_t i = 0;

	bpf_object__for_each_program(each, o->obj)
	{
		if (each == prog && o->progs[i].type && o->progs[i].guessed)
			assume_type(set, o, prog);
		i++;
	}
	if (constants)
		assume_add(
			set, o, name,
			"%s was looked at only with the values in the file, which its command may "
			"change: %s",
			constants,
			"the verifier needs to know them: check with the values that are used, with "
			"--rodata NAME=VALUE, or what is loaded, with --loaded");
	if (absent)
		assume_add(set, o, name,
			   "%s was looked at without what this kernel does not have: %s", absent,
			   "check it on the kernel that it runs on, too");
	free(constants);
	free(absent);
}

void assume_object(struct check_set *set, const struct object *o)
{
	struct bpf_map *map;
	size_t i = 0;

	bpf_object__for_each_map(map, o->obj)
	{
		const struct object_map *m = &o->maps[i++];
		char *text;

		if (!m->inner ||
		    asprintf(&text,
			     "map %s has no inner map in the object: its programs were "
			     "loaded with one that was made up",
			     bpf_map__name(map)) < 0)
			continue;
		check_assume(set, "assumed", o->path, NULL, text, NULL);
		free(text);
	}
}
