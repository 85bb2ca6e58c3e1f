// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/whole_file.h"
#include "check/locktext.h"
#include "check/view_dot.h"
#include "check/where.h"

/* Escape text for a string in quotes. */
static void put_text(FILE *out, const char *text)
{
	for (const char *s = escaped(text); *s; s++)
		fprintf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void put_lock(FILE *out, const struct check_result *r, const struct lock *lock)
{
	char name[LOCKTEXT_ROOM];

	locktext_format(&r->set, lock, name, sizeof(name));
	fputc('"', out);
	put_text(out, name);
	/* Only a lock in a map can be the same in two programs: others get a number. */
	if (lock->kind != LOCK_MAP)
		fprintf(out, " %u", lock->prog);
	else if (r->set.nr_progs > 1 && !r->set.loaded)
		fprintf(out, " #%u", r->set.maps[lock->map].id);
	fputc('"', out);
}

static bool same_names(const struct edge *a, const struct edge *b)
{
	return a->from.prog == b->from.prog && a->to.pc == b->to.pc && a->from.pc == b->from.pc &&
	       a->from.lock.map == b->from.lock.map && a->to.lock.map == b->to.lock.map &&
	       !strcmp(a->from.lock.key, b->from.lock.key) &&
	       !strcmp(a->to.lock.key, b->to.lock.key);
}

static void put_edge(FILE *out, const struct check_result *r, const struct edge *e)
{
	const struct check_prog *p = &r->set.progs[e->to.prog];
	struct check_line line;

	check_line(p, e->to.pc, &line);
	fputc('\t', out);
	put_lock(out, r, &e->from.lock);
	fputs(" -> ", out);
	put_lock(out, r, &e->to.lock);
	fputs(" [label=\"", out);
	put_text(out, p->name);
	if (line.file)
		fprintf(out, ":%u", line.line);
	fputs("\"];\n", out);
}

static void put_inner_lock(FILE *out, const struct check_result *r, __u32 map, enum maplock lock)
{
	const struct check_map *m = &r->set.maps[map];

	fputc('"', out);
	put_text(out, m->name);
	fprintf(out, ": %s", maplock_id(lock));
	if (r->set.nr_progs > 1 || r->set.loaded)
		fprintf(out, " #%u", m->id);
	fputc('"', out);
}

static bool same_ends(const struct mapnest *a, const struct mapnest *b)
{
	return a->map == b->map && a->lock == b->lock && a->wants == b->wants &&
	       a->inner->at.lock.map == b->inner->at.lock.map &&
	       a->inner->at.prog == b->inner->at.prog && !a->outer == !b->outer;
}

/* An edge between locks inside maps, labelled with the program on top. */
static void put_nest(FILE *out, const struct check_result *r, const struct mapnest *n)
{
	const struct check_prog *p = &r->set.progs[n->inner->at.prog];

	fputc('\t', out);
	put_inner_lock(out, r, n->map, n->lock);
	fputs(" -> ", out);
	put_inner_lock(out, r, n->inner->at.lock.map, n->wants);
	fputs(" [style=dashed, label=\"", out);
	put_text(out, p->name);
	fprintf(out, n->nmi ? " (NMI)" : " (");
	if (!n->nmi) {
		put_text(out, where_hook(p));
		fputc(')', out);
	}
	fputs("\"];\n", out);
}

static void put_nests(FILE *out, const struct check_result *r)
{
	for (size_t i = 0; i < r->nests.nr; i++) {
		size_t j = 0;

		while (j < i && !same_ends(&r->nests.all[j], &r->nests.all[i]))
			j++;
		if (j == i && r->nests.all[i].outer)
			put_nest(out, r, &r->nests.all[i]);
	}
}

static void put_graph(FILE *out, const struct check_result *r)
{
	fputs("digraph locks {\n\tnode [shape=box];\n", out);
	for (size_t i = 0; i < r->record.nr_edges; i++) {
		size_t j = 0;

		while (j < i && !same_names(&r->record.edges[j], &r->record.edges[i]))
			j++;
		if (j == i)
			put_edge(out, r, &r->record.edges[i]);
	}
	put_nests(out, r);
	fputs("}\n", out);
}

int check_write_dot(const struct check_result *r, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return -ENOMEM;
	put_graph(out, r);
	err = fclose(out) ? -ENOMEM : whole_file_replace(path, text, len);
	free(text);
	return err;
}
