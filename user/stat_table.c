// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "lockname.h"
#include "log.h"
#include "proginfo.h"
#include "stat_table.h"
#include "trace.h"
#include "trace_json.h"
#include "trace_print.h"

struct row {
	__u32 prog_id, map_id, kind, parties;
	struct lockname lock; /* as it was when it failed: its map may be gone by now */
	__u64 count;
	char prog[64];
};

struct stat_table {
	struct row *rows;
	size_t nr, room;
	__u64 dropped; /* failures without memory to count them */
	__u64 lost_before;
};

struct stat_table *stat_table_new(void)
{
	return calloc(1, sizeof(struct stat_table));
}

void stat_table_free(struct stat_table *t)
{
	if (!t)
		return;
	free(t->rows);
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

static bool same(const struct row *r, const struct row *key)
{
	return r->prog_id == key->prog_id && r->map_id == key->map_id && r->kind == key->kind &&
	       r->parties == key->parties && r->lock.addr == key->lock.addr &&
	       !strcmp(r->prog, key->prog);
}

void stat_table_add(struct stat_table *t, const struct failure *f, struct locknames *ln)
{
	struct row key = {
		.prog_id = f->prog_id,
		.map_id = f->map_id,
		.kind = f->ev.kind,
		.parties = f->ev.parties,
		.lock.addr = f->ev.lock,
	}, *r = NULL;

	snprintf(key.prog, sizeof(key.prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	for (size_t i = 0; i < t->nr; i++)
		if (same(&t->rows[i], &key))
			r = &t->rows[i];
	if (!r) {
		r = new_row(t);
		if (!r) {
			t->dropped++;
			return;
		}
		*r = key;
		if (f->ev.lock)
			locknames_find(ln, f->ev.lock, &r->lock);
	}
	r->count++;
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void print_row(const struct row *r, const struct print_opts *opts)
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
	printf("%10llu  %-8s %6s  %-24s %s\n", (unsigned long long)r->count, kind, id,
	       r->prog[0] ? r->prog : "?", text);
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
	json_object_set_new(j, "lock", lockname_json(&r->lock, opts));
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
	json_losses(j, losses);
	return json_put_line(j);
}

static int print_text(const struct stat_table *t, const struct print_opts *opts,
		      const struct losses *losses)
{
	char lost[LOSSES_TEXT], when[40];

	if (opts->stamp) {
		wall_time(now_ns(), false, when);
		printf("%s\n", when);
	}
	printf("%10s  %-8s %6s  %-24s %s\n", "FAILURES", "KIND", "PROG", "NAME", "LOCK");
	for (size_t i = 0; i < t->nr; i++)
		print_row(&t->rows[i], opts);
	losses_text(losses, lost);
	printf("lost: %s\n", lost);
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? -(errno ? errno : EIO) : 0;
}

int stat_table_print(struct stat_table *t, struct session *s, const struct print_opts *opts)
{
	struct losses losses;
	__u64 total;
	int err;

	session_losses(s, &losses);
	total = losses.lost + t->dropped;
	/* It goes down when a failure turns out to be known by another source. */
	losses.lost = total > t->lost_before ? total - t->lost_before : 0;
	qsort(t->rows, t->nr, sizeof(*t->rows), by_count);
	err = (opts->json ? print_json : print_text)(t, opts, &losses);
	t->lost_before += losses.lost;
	t->nr = 0;
	return err;
}
