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

/* How many failures like this one were lost up to the last table. */
struct stat_before {
	const struct failure *like;
	__u64 nr;
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

	if (t)
		t->by = by;
	return t;
}

void stat_table_free(struct stat_table *t)
{
	if (!t)
		return;
	free(t->rows);
	free(t->before);
	free(t);
}

static struct stat_row *new_row(struct stat_table *t)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct stat_row *rows = realloc(t->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		t->rows = rows;
		t->room = room;
	}
	return memset(&t->rows[t->nr++], 0, sizeof(struct stat_row));
}

static bool same_lock(const struct stat_row *r, const struct stat_row *key)
{
	return r->map_id == key->map_id && r->lock.addr == key->lock.addr;
}

/* The same lock of an object that was loaded again has another address. */
static bool same_lock_name(const struct stat_row *r, const struct stat_row *key)
{
	char x[LOCKNAME_ROOM], y[LOCKNAME_ROOM];

	if (!r->lock.path[0] && !r->lock.map[0])
		return same_lock(r, key);
	lockname_text(&r->lock, false, x, sizeof(x));
	lockname_text(&key->lock, false, y, sizeof(y));
	return !strcmp(x, y);
}

static bool row_same(const struct stat_table *t, const struct stat_row *r,
		     const struct stat_row *key)
{
	if (r->others || r->kind != key->kind || r->parties != key->parties)
		return false;
	switch (t->by) {
	case STAT_BY_NAME:
		return !strcmp(r->prog, key->prog);
	case STAT_BY_PROG:
		return r->prog_id == key->prog_id && !strcmp(r->prog, key->prog);
	case STAT_BY_LOCK:
		return same_lock_name(r, key);
	case STAT_BY_LINE:
		return !strcmp(r->at, key->at);
	case STAT_BY_ALL:
		break;
	}
	return r->prog_id == key->prog_id && same_lock(r, key) && !strcmp(r->prog, key->prog);
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

static bool wants_lock(const struct stat_table *t)
{
	return t->by == STAT_BY_ALL || t->by == STAT_BY_LOCK;
}

/* Clears the fields that are not part of the row's key. */
static void row_blank(const struct stat_table *t, struct stat_row *r)
{
	if (t->by != STAT_BY_ALL && t->by != STAT_BY_PROG)
		r->prog_id = 0;
	if (t->by == STAT_BY_LOCK || t->by == STAT_BY_LINE)
		r->prog[0] = 0;
	if (!wants_lock(t)) {
		r->map_id = 0;
		r->lock = (struct lockname){ 0 };
	}
	if (t->by != STAT_BY_LINE)
		r->at[0] = 0;
}

static void name_lock(struct stat_row *r, const struct failure *f, struct locknames *ln)
{
	locknames_find_inside(ln, f->ev.lock, f->ev.ts_ns, f->prog, f->map_id, &r->lock);
}

void stat_table_add(struct stat_table *t, const struct failure *f, __u64 nr, struct locknames *ln)
{
	struct stat_row key = {
		.prog_id = f->prog_id,
		.map_id = f->map_id,
		.kind = f->ev.kind,
		.parties = f->ev.parties,
		.lock.addr = f->ev.lock,
	}, *r = NULL;

	snprintf(key.prog, sizeof(key.prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	set_at(&key, f);
	if (t->by == STAT_BY_LOCK)
		name_lock(&key, f, ln);
	row_blank(t, &key);
	for (size_t i = 0; i < t->nr; i++)
		if (row_same(t, &t->rows[i], &key))
			r = &t->rows[i];
	if (!r) {
		r = new_row(t);
		if (!r) {
			t->dropped += nr;
			return;
		}
		*r = key;
		if (t->by == STAT_BY_ALL)
			name_lock(r, f, ln);
	}
	r->count += nr;
}

__u64 stat_table_since(struct stat_table *t, const struct failure *like, __u64 nr)
{
	struct stat_before *b = t->before;
	__u64 fresh;

	for (size_t i = 0; i < t->nr_before; i++, b++) {
		if (b->like != like)
			continue;
		/* The number goes down when another source turns out to have the failure, too. */
		fresh = nr > b->nr ? nr - b->nr : 0;
		b->nr += fresh;
		return fresh;
	}
	b = reallocarray(t->before, t->nr_before + 1, sizeof(*b));
	if (!b)
		return 0;
	t->before = b;
	b[t->nr_before++] = (struct stat_before){ like, nr };
	return nr;
}

void stat_table_add_others(struct stat_table *t, __u64 nr)
{
	struct stat_row *r = NULL;

	for (size_t i = 0; i < t->nr; i++)
		if (t->rows[i].others)
			r = &t->rows[i];
	if (!r)
		r = new_row(t);
	if (!r) {
		t->dropped += nr;
		return;
	}
	r->others = true;
	r->count += nr;
}

void stat_table_clear(struct stat_table *t)
{
	t->dropped = 0;
	t->nr = 0;
}
