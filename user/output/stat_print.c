// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json_out.h"
#include "base/out.h"
#include "output/failure_json.h"
#include "output/lock_view.h"
#include "output/print_opts.h"
#include "output/stat_print.h"
#include "output/stat_table.h"
#include "output/wall_time.h"
#include "events/failure.h"
#include "events/losses.h"

static void print_row(const struct stat_table *t, const struct stat_row *r,
		      const struct print_opts *opts)
{
	char text[320], kind[24], id[16] = "?";

	lockname_text(&r->lock, opts->no_addr, text, sizeof(text));
	if (!r->lock.addr && !r->lock.map_id && r->map_id)
		snprintf(text, sizeof(text), "a lock of map %u", r->map_id);
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

static json_t *row_json(const struct stat_row *r, const struct print_opts *opts)
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

	for (size_t i = 0; i < stat_table_nr(t); i++)
		json_array_append_new(rows, row_json(stat_table_at(t, i), opts));
	wall_time(now_ns(), true, when);
	json_object_set_new(j, "schema", json_string("rqspin-stat/1"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "counters", rows);
	losses_json(j, losses);
	return json_put_line(j) ?: out_flush();
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
	if (!stat_table_nr(t))
		puts("no failed acquisition was seen");
	for (size_t i = 0; i < stat_table_nr(t); i++)
		print_row(t, stat_table_at(t, i), opts);
	losses_text(losses, lost);
	printf("lost: %s\n", lost);
	return out_flush();
}

int stat_print(struct stat_table *t, const struct losses *uncounted, const struct print_opts *opts)
{
	struct losses losses = *uncounted;
	int err;

	losses.lost += t->dropped;
	stat_table_sort(t);
	err = (opts->json ? print_json : print_text)(t, opts, &losses);
	stat_table_clear(t);
	return err;
}
