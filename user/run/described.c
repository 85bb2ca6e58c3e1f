// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "run/described.h"
#include "run/progs.h"

static bool text_ends(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

/* Cuts the text at its commas. */
static unsigned int split_roles(struct described *d)
{
	char *rest = d->text.roles, *name;
	unsigned int nr = 0;

	while ((name = strsep(&rest, ","))) {
		if (!*name || nr == SAMPLE_ROLES_MAX)
			return 0;
		d->sample.roles[nr++] = name;
	}
	return nr;
}

static int described_fill(struct described *d, const char *path)
{
	struct sample_run *t = &d->text;
	unsigned int nr = 0;

	if (text_ends(t->roles, sizeof(t->roles)) && text_ends(t->expect, sizeof(t->expect)) &&
	    text_ends(t->shows, sizeof(t->shows)))
		nr = split_roles(d);
	if (!nr || !t->rounds) {
		pr_err("%s: its section " SAMPLE_RUN_SECTION " does not say what to run: struct "
		       "sample_run of sample.h, with roles and rounds",
		       path);
		return -EINVAL;
	}
	d->sample.name = path;
	d->sample.shows = t->shows;
	d->sample.expect = t->expect;
	d->sample.rounds = t->rounds;
	d->sample.min_cpus = nr;
	d->sample.type = d->sample.needs = "";
	return 0;
}

static int copy_text(struct described *d, struct bpf_object *obj)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(obj, SAMPLE_RUN_SECTION);
	size_t size = 0;
	const void *text = map ? bpf_map__initial_value(map, &size) : NULL;

	if (!text || size < sizeof(d->text))
		return -ENOENT;
	memcpy(&d->text, text, sizeof(d->text));
	return 0;
}

int described_read(struct described *d, const char *path)
{
	struct bpf_object *obj;
	int sig, err;

	memset(d, 0, sizeof(*d));
	obj = progs_open(path, &sig);
	if (sig) {
		pr_err("%s: %s", path, rehearse_text(sig));
		return -ENOEXEC;
	}
	err = obj ? copy_text(d, obj) : -ENOENT;
	bpf_object__close(obj);
	return err ? err : described_fill(d, path);
}
