// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/stat_table.h"
#include "events/session.h"

#define LOCKNAME_ROOM 320

struct stat_key {
	__u64 addr;
	__u32 prog_id, map_id, kind, parties, others, zero;
	char prog[64], at[80], lock[LOCKNAME_ROOM];
};

static const char *const by_words[] = {
	[STAT_BY_NAME] = "name",
	[STAT_BY_PROG] = "prog",
	[STAT_BY_LOCK] = "lock",
	[STAT_BY_LINE] = "line",
};

int stat_by_parse(const char *word, enum stat_by *by)
{
	for (size_t i = STAT_BY_NAME; i < sizeof(by_words) / sizeof(by_words[0]); i++) {
		if (strcmp(word, by_words[i]))
			continue;
		*by = i;
		return 0;
	}
	return -EINVAL;
}

struct stat_table *stat_table_new(enum stat_by by)
{
	struct stat_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->by = by;
	t->groups.size = sizeof(struct stat_row);
	t->before.size = sizeof(__u64);
	return t;
}

void stat_table_free(struct stat_table *t)
{
	if (!t)
		return;
	groups_clear(&t->groups);
	groups_clear(&t->before);
	free(t);
}

static void set_at(struct stat_row *key, const struct failure *f)
{
	const char *file = f->file, *path, *text;

	if (!f->ev.line)
		return;
	if (proginfo_line(f->prog, f->file, f->ev.line, &path, &text))
		file = base_name(path);
	snprintf(key->at, sizeof(key->at), "%.63s:%u", *file ? file : "?", f->ev.line);
}

/* The same lock of an object that was loaded again has another address, but the same name. */
static void key_lock(const struct stat_table *t, struct stat_key *key, const struct stat_row *r,
		     const struct failure *f)
{
	if (t->by == STAT_BY_LOCK && (r->lock.path[0] || r->lock.map[0])) {
		lockname_text(&r->lock, false, key->lock, sizeof(key->lock));
		groups_pad(key->lock, sizeof(key->lock));
		return;
	}
	key->addr = f->ev.lock;
	key->map_id = f->map_id;
}

/* Only members that the row is about are filled. */
static void key_fill(const struct stat_table *t, struct stat_key *key, const struct stat_row *r,
		     const struct failure *f)
{
	memset(key, 0, sizeof(*key));
	key->kind = r->kind;
	key->parties = r->parties;
	key->prog_id = r->prog_id;
	snprintf(key->prog, sizeof(key->prog), "%s", r->prog);
	snprintf(key->at, sizeof(key->at), "%s", r->at);
	if (t->by == STAT_BY_ALL || t->by == STAT_BY_LOCK)
		key_lock(t, key, r, f);
}

/* What the row of this failure shows. */
static void row_fill(const struct stat_table *t, struct stat_row *r, const struct failure *f)
{
	*r = (struct stat_row){ .kind = f->ev.kind, .parties = f->ev.parties };
	if (t->by == STAT_BY_ALL || t->by == STAT_BY_PROG)
		r->prog_id = f->prog_id;
	if (t->by != STAT_BY_LOCK && t->by != STAT_BY_LINE)
		snprintf(r->prog, sizeof(r->prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	if (t->by == STAT_BY_LINE)
		set_at(r, f);
	if (t->by == STAT_BY_ALL || t->by == STAT_BY_LOCK) {
		r->map_id = f->map_id;
		r->lock.addr = f->ev.lock;
	}
}

static void name_lock(struct stat_row *r, const struct failure *f, struct locknames *ln)
{
	locknames_find_inside(ln, f->ev.lock, f->ev.ts_ns, f->prog, f->map_id, &r->lock);
}

static void row_count(struct stat_table *t, struct stat_row *row, __u64 nr)
{
	if (row)
		row->count += nr;
	else
		t->dropped += nr;
}

void stat_table_add(struct stat_table *t, const struct failure *f, __u64 nr, struct locknames *ln)
{
	struct stat_row fresh, *row;
	struct stat_key key;
	bool added;

	row_fill(t, &fresh, f);
	if (t->by == STAT_BY_LOCK)
		name_lock(&fresh, f, ln);
	key_fill(t, &key, &fresh, f);
	row = groups_get(&t->groups, &key, sizeof(key), &added);
	if (row && added) {
		*row = fresh;
		if (t->by == STAT_BY_ALL)
			name_lock(row, f, ln);
	}
	row_count(t, row, nr);
}

__u64 stat_table_since(struct stat_table *t, const struct failure *like, __u64 nr)
{
	__u64 *before = groups_get(&t->before, &like, sizeof(like), NULL), fresh;

	if (!before)
		return 0;
	/* The number goes down when another source turns out to have the failure, too. */
	fresh = nr > *before ? nr - *before : 0;
	*before += fresh;
	return fresh;
}

void stat_table_add_others(struct stat_table *t, __u64 nr)
{
	struct stat_key key = { .others = 1 };
	struct stat_row *row = groups_get(&t->groups, &key, sizeof(key), NULL);

	if (row)
		row->others = true;
	row_count(t, row, nr);
}

size_t stat_table_nr(const struct stat_table *t)
{
	return t->groups.nr;
}

const struct stat_row *stat_table_at(const struct stat_table *t, size_t i)
{
	return groups_at(&t->groups, i);
}

static int by_count(const void *a, const void *b)
{
	const struct stat_row *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

void stat_table_sort(struct stat_table *t)
{
	if (t->groups.nr)
		qsort(t->groups.rows, t->groups.nr, t->groups.size, by_count);
}

void stat_table_clear(struct stat_table *t)
{
	t->dropped = 0;
	groups_clear(&t->groups);
}
