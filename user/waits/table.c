// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "names/callsite.h"
#include "names/cgroupname.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/call_view.h"
#include "waits/collect.h"
#include "waits/stack.h"
#include "waits/sum.h"
#include "waits/table.h"

/* One frame; semicolons and spaces have a meaning in the format. */
static void put_frame(FILE *out, const struct callsite *site)
{
	char text[256];

	if (site->prog && site->line)
		snprintf(text, sizeof(text), "%s:%u", site->prog->full_name, site->line);
	else
		snprintf(text, sizeof(text), "%s",
			 site->prog	? site->prog->full_name :
			 site->function ?:
					  "?");
	for (char *c = text; *c; c++)
		if (*c == ';' || *c == ' ')
			*c = '_';
	fputs(escaped(text), out);
}

static char *stack_text(const struct waits_entry *e, int first, const struct lock_view *v)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int nr = first;

	if (!out)
		return NULL;
	while (nr < WAITS_FRAMES && e->ips[nr])
		nr++;
	for (int i = nr - 1; i >= first; i--) {
		struct callsite site = { 0 };

		callsite_find(v->progs, locknames_ksyms(v->names), e->ips[i], v->when_ns, &site);
		put_frame(out, &site);
		fputs(i > first ? ";" : "", out);
	}
	return fclose(out) ? NULL : text;
}

static char *site_text(const struct waits_entry *e, int first, const struct lock_view *v)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (first < WAITS_FRAMES)
		call_put(out, v, e->ips[first]);
	return fclose(out) ? NULL : text;
}

static int name_one(struct wait_row *r, const struct waits_entry *e, const struct lock_view *view)
{
	int first = wait_stack_first(e, view);
	struct lock_view v = *view;
	struct callsite site = { 0 };
	struct lockname name;

	v.when_ns = e->when_ns;
	if (first < WAITS_FRAMES)
		callsite_find(v.progs, locknames_ksyms(v.names), e->ips[first], v.when_ns, &site);
	v.prog = site.prog;
	if (locknames_find(v.names, e->lock, v.when_ns, v.prog, &name) || name.path[0] ||
	    !v.no_addr)
		lockname_text(&name, v.no_addr, r->lock, sizeof(r->lock));
	r->stack = stack_text(e, first, &v);
	r->site = site_text(e, first, &v);
	return r->stack && r->site ? 0 : -ENOMEM;
}

static int name_cgroup(struct wait_row *r, __u64 id, struct cgroupnames *cgroups)
{
	char name[CGROUP_NAME];
	int err = cgroupnames_find(cgroups, id, name);

	r->cgroup_id = id;
	r->cgroup = strdup(name);
	return r->cgroup ? err : -ENOMEM;
}

int wait_table_init(struct wait_table *t, const struct waits *w)
{
	t->nr_seen = waits_room(w);
	t->seen = calloc(t->nr_seen, sizeof(*t->seen));
	t->found = calloc(t->nr_seen, sizeof(*t->found));
	return t->seen && t->found ? 0 : -ENOMEM;
}

void wait_table_find(struct wait_table *t, const struct waits *w)
{
	for (size_t i = 0; i < t->nr_seen; i++)
		t->found[i] = !t->seen[i].stack && waits_at(w, i);
}

int wait_table_name(struct wait_table *t, const struct waits *w, const struct lock_view *view,
		    struct cgroupnames *cgroups)
{
	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct waits_entry *e = t->found[i] ? waits_at(w, i) : NULL;
		int err = e ? name_one(&t->seen[i], e, view) : 0;

		if (e && cgroups)
			err = err ?: name_cgroup(&t->seen[i], e->cgroup, cgroups);
		if (err)
			return err;
		t->found[i] = false;
	}
	return 0;
}

static bool row_is(const struct wait_row *r, const struct wait_row *key)
{
	return r->cgroup_id == key->cgroup_id && !strcmp(r->lock, key->lock) &&
	       !strcmp(r->site, key->site) && !strcmp(r->stack, key->stack);
}

static struct wait_row *row_of(struct wait_table *t, const struct wait_row *key)
{
	for (size_t i = 0; i < t->nr; i++)
		if (row_is(&t->rows[i], key))
			return &t->rows[i];
	t->rows[t->nr] = *key;
	t->rows[t->nr].sum = (struct waits_sum){ 0 };
	return &t->rows[t->nr++];
}

static int by_total(const void *a, const void *b)
{
	const struct wait_row *x = a, *y = b;

	return (x->sum.total_ns < y->sum.total_ns) - (x->sum.total_ns > y->sum.total_ns);
}

int wait_table_sum(struct wait_table *t, const struct waits *w)
{
	t->rows = calloc(t->nr_seen + 1, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_seen; i++) {
		const struct waits_entry *e = t->seen[i].stack ? waits_at(w, i) : NULL;
		struct wait_row *r;

		if (!e || !e->sum.count)
			continue;
		r = row_of(t, &t->seen[i]);
		waits_sum_add(&r->sum, &e->sum);
	}
	qsort(t->rows, t->nr, sizeof(*t->rows), by_total);
	return 0;
}

void wait_table_free(struct wait_table *t)
{
	for (size_t i = 0; t->seen && i < t->nr_seen; i++) {
		free(t->seen[i].site);
		free(t->seen[i].stack);
		free(t->seen[i].cgroup);
	}
	free(t->seen);
	free(t->found);
	free(t->rows);
	*t = (struct wait_table){ 0 };
}
