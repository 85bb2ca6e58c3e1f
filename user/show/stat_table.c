// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "show/failure_json.h"
#include "show/lock_view.h"
#include "show/print_opts.h"
#include "show/stat_table.h"
#include "show/wall_time.h"
#include "trace/session.h"

#define LOCKNAME_ROOM 320

struct row {
	__u32 prog_id, map_id, kind, parties;
	bool others;	      /* nothing is known of them but their number */
	struct lockname lock; /* as it was when it failed: its map may be gone by now */
	__u64 count;
	char prog[64];
	char at[80];
};

static const char *const by_words[] = {
	[STAT_BY_NAME] = "name",
	[STAT_BY_PROG] = "prog",
	[STAT_BY_LOCK] = "lock",
	[STAT_BY_LINE] = "line",
};

/* How many of these were lost up to the last table. */
struct before {
	const struct failure *like;
	__u64 nr;
};

struct stat_table {
	enum stat_by by;
	struct row *rows;
	size_t nr, room;
	__u64 dropped; /* failures without memory to count them */
	struct before *before;
	size_t nr_before;
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

static struct row *new_row(struct stat_table *t)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct row *rows = realloc(t->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		t->rows = rows;
		t->room = room;
	}
	return memset(&t->rows[t->nr++], 0, sizeof(struct row));
}

static bool same_lock(const struct row *r, const struct row *key)
{
	return r->map_id == key->map_id && r->lock.addr == key->lock.addr;
}

/* The same lock of an object that was loaded again has another address. */
static bool same_lock_name(const struct row *r, const struct row *key)
{
	char x[LOCKNAME_ROOM], y[LOCKNAME_ROOM];

	if (!r->lock.path[0] && !r->lock.map[0])
		return same_lock(r, key);
	lockname_text(&r->lock, false, x, sizeof(x));
	lockname_text(&key->lock, false, y, sizeof(y));
	return !strcmp(x, y);
}

static bool same(const struct stat_table *t, const struct row *r, const struct row *key)
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

static void set_at(struct row *key, const struct failure *f)
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

/* What a row is not about is not in it. */
static void blank(const struct stat_table *t, struct row *r)
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

void stat_table_add(struct stat_table *t, const struct failure *f, __u64 nr, struct locknames *ln)
{
	struct row key = {
		.prog_id = f->prog_id,
		.map_id = f->map_id,
		.kind = f->ev.kind,
		.parties = f->ev.parties,
		.lock.addr = f->ev.lock,
	}, *r = NULL;

	snprintf(key.prog, sizeof(key.prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	set_at(&key, f);
	if (t->by == STAT_BY_LOCK && f->ev.lock)
		locknames_find(ln, f->ev.lock, f->ev.ts_ns, f->prog, &key.lock);
	blank(t, &key);
	for (size_t i = 0; i < t->nr; i++)
		if (same(t, &t->rows[i], &key))
			r = &t->rows[i];
	if (!r) {
		r = new_row(t);
		if (!r) {
			t->dropped += nr;
			return;
		}
		*r = key;
		if (t->by == STAT_BY_ALL && f->ev.lock)
			locknames_find(ln, f->ev.lock, f->ev.ts_ns, f->prog, &r->lock);
	}
	r->count += nr;
}

__u64 stat_table_since(struct stat_table *t, const struct failure *like, __u64 nr)
{
	struct before *b = t->before;
	__u64 fresh;

	for (size_t i = 0; i < t->nr_before; i++, b++) {
		if (b->like != like)
			continue;
		/* It goes down when a failure turns out to be known by another source. */
		fresh = nr > b->nr ? nr - b->nr : 0;
		b->nr += fresh;
		return fresh;
	}
	b = reallocarray(t->before, t->nr_before + 1, sizeof(*b));
	if (!b)
		return 0;
	t->before = b;
	b[t->nr_before++] = (struct before){ like, nr };
	return nr;
}

void stat_table_add_others(struct stat_table *t, __u64 nr)
{
	struct row *r = NULL;

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

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void print_row(const struct stat_table *t, const struct row *r,
		      const struct print_opts *opts)
{
	char text[320], kind[24], id[16] = "?";

	lockname_text(&r->lock, opts->no_addr, text, sizeof(text));
	if (!r->lock.addr && r->map_id)
		snprintf(text, sizeof(text), "a lock inside map %u", r->map_id);
	if (r->prog_id)
		snprintf(id, sizeof(id), "%u", r->prog_id);
	if (r->kind == RQSPIN_CYCLE && r->parties)
		snprintf(kind, sizeof(kind), "CYCLE %u", r->parties);
	else
		snprintf(kind, sizeof(kind), "%s", kind_name(r->kind));
	printf("%10llu  %-8s ", (unsigned long long)r->count, kind);
	if (r->others) {
		printf("others\n");
		return;
	}
	switch (t->by) {
	case STAT_BY_NAME:
		printf("%s\n", r->prog[0] ? escaped(r->prog) : "?");
		return;
	case STAT_BY_PROG:
		printf("%6s  %s\n", id, r->prog[0] ? escaped(r->prog) : "?");
		return;
	case STAT_BY_LOCK:
		printf("%s\n", escaped(text));
		return;
	case STAT_BY_LINE:
		printf("%s\n", r->at[0] ? escaped(r->at) : "?");
		return;
	case STAT_BY_ALL:
		break;
	}
	printf("%6s  %-24s %s\n", id, r->prog[0] ? escaped(r->prog) : "?", escaped(text));
}

static json_t *row_json(const struct row *r, const struct print_opts *opts)
{
	json_t *j = json_object();

	json_object_set_new(j, "count", json_integer(r->count));
	json_object_set_new(j, "kind", json_string(kind_name(r->kind)));
	json_object_set_new(j, "parties", r->parties ? json_integer(r->parties) : json_null());
	json_object_set_new(j, "prog_id", r->prog_id ? json_integer(r->prog_id) : json_null());
	json_object_set_new(j, "prog", json_text(r->prog));
	json_object_set_new(j, "map_id", r->map_id ? json_integer(r->map_id) : json_null());
	json_object_set_new(j, "others", json_boolean(r->others));
	json_object_set_new(j, "lock", lockname_json(&r->lock, opts->no_addr));
	json_object_set_new(j, "at", json_text(r->at));
	return j;
}

static int print_json(const struct stat_table *t, const struct print_opts *opts,
		      const struct losses *losses)
{
	json_t *j = json_object(), *rows = json_array();
	char when[40];

	for (size_t i = 0; i < t->nr; i++)
		json_array_append_new(rows, row_json(&t->rows[i], opts));
	wall_time(now_ns(), true, when);
	json_object_set_new(j, "schema", json_string("rqspin-stat/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "counters", rows);
	losses_json(j, losses);
	return json_put_line(j);
}

static void print_head(const struct stat_table *t)
{
	static const char *const heads[] = {
		[STAT_BY_ALL] = "  PROG  NAME                     LOCK",
		[STAT_BY_NAME] = "NAME",
		[STAT_BY_PROG] = "  PROG  NAME",
		[STAT_BY_LOCK] = "LOCK",
		[STAT_BY_LINE] = "LINE",
	};

	printf("%10s  %-8s %s\n", "FAILURES", "KIND", heads[t->by]);
}

static int print_text(const struct stat_table *t, const struct print_opts *opts,
		      const struct losses *losses)
{
	char lost[LOSSES_TEXT], when[40];

	if (opts->stamp) {
		wall_time(now_ns(), false, when);
		printf("%s\n", when);
	}
	print_head(t);
	for (size_t i = 0; i < t->nr; i++)
		print_row(t, &t->rows[i], opts);
	losses_text(losses, lost);
	printf("lost: %s\n", lost);
	return out_flush();
}

int stat_table_print(struct stat_table *t, const struct losses *uncounted,
		     const struct print_opts *opts)
{
	struct losses losses = *uncounted;
	int err;

	losses.lost += t->dropped;
	if (t->nr)
		qsort(t->rows, t->nr, sizeof(*t->rows), by_count);
	err = (opts->json ? print_json : print_text)(t, opts, &losses);
	t->dropped = 0;
	t->nr = 0;
	return err;
}
