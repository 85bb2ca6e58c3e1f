// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/out.h"
#include "output/failure_json.h"
#include "output/wall_time.h"
#include "output/screen/batch.h"
#include "output/screen/columns.h"
#include "output/screen/contention.h"
#include "output/screen/snapshot.h"
#include "events/failure.h"

#define LINE 400

static void put_line(char *line)
{
	if (line)
		puts(line);
	free(line);
}

static int print_text(const struct snapshot *s, const struct top_row *rows, size_t nr,
		      enum top_by by)
{
	const struct top_layout layout = top_layout_of(s, by, rows, nr, 0);
	char when[40], lost[LOSSES_TEXT], line[LINE];

	wall_time(s->when_ns, false, when);
	top_sums(s, line, sizeof(line));
	losses_text(&s->losses, lost);
	printf("%s  %s; lost: %s\n", when, line, lost);
	put_line(top_heads(&layout, by));
	for (size_t i = 0; i < nr; i++)
		put_line(top_line(&layout, s, by, &rows[i]));
	return out_flush();
}

static json_t *waits_json(const struct top_row *r)
{
	if (!r->waited)
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "count", (json_int_t)r->waited, "total_ns",
			 (json_int_t)r->wait_ns, "max_ns", (json_int_t)r->wait_max_ns);
}

static json_t *contended_json(const struct top_row *r)
{
	const struct contended *c = r->contended;

	if (!c)
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "count", (json_int_t)c->count, "total_ns",
			 (json_int_t)c->total_ns, "max_ns", (json_int_t)c->max_ns);
}

static json_t *latest_json(const struct top_row *r)
{
	const struct reading *x = r->latest;
	json_t *j = x ? failure_json_object(x->latest, x->when.ts_ns, x->when.wait_ns) : NULL;

	return j ?: json_null();
}

static json_t *row_json(const struct top_row *r)
{
	json_t *j = json_object(), *kinds = json_object();

	for (__u32 k = RQSPIN_UNKNOWN; k <= RQSPIN_NESTED; k++)
		json_object_set_new(kinds, kind_name(k), json_integer(r->kinds[k]));
	json_object_set_new(j, "prog", json_text(r->prog));
	json_object_set_new(j, "lock", json_text(r->lock));
	json_object_set_new(j, "failures", json_integer(r->failures));
	json_object_set_new(j, "rate", json_real(r->rate));
	json_object_set_new(j, "kinds", kinds);
	json_object_set_new(j, "lost", json_integer(r->lost));
	json_object_set_new(j, "waits", waits_json(r));
	json_object_set_new(j, "contended", contended_json(r));
	json_object_set_new(j, "latest", latest_json(r));
	return j;
}

static int print_json(const struct snapshot *s, const struct top_row *rows, size_t nr,
		      enum top_by by, const char *sources)
{
	json_t *j = json_object(), *list = json_array();
	char when[40];

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(list, row_json(&rows[i]));
	wall_time(s->when_ns, true, when);
	json_object_set_new(j, "schema", json_string("rqspin-top/2"));
	json_object_set_new(j, "time", json_string(when));
	json_object_set_new(j, "by", json_string(top_by_word(by)));
	json_object_set_new(j, "failures", json_integer(s->failures));
	json_object_set_new(j, "rate", json_real(s->rate));
	json_object_set_new(j, "rows", list);
	json_object_set_new(j, "unnamed", json_integer(s->unnamed));
	json_object_set_new(j, "counted_only", json_integer(s->counted_only));
	json_object_set_new(j, "rows_full", json_boolean(s->full));
	json_object_set_new(j, "waits_dropped",
			    s->waits ? json_integer(s->waits_dropped) : json_null());
	losses_json(j, &s->losses);
	json_object_set_new(j, "sources", json_string(sources));
	return json_put_line(j) ?: out_flush();
}

int top_batch(const struct snapshot *s, enum top_by by, enum top_sort sort, const char *sources,
	      bool json)
{
	struct top_row *rows;
	size_t nr;
	int err;

	rows = top_rows(s, by, sort, "", &nr);
	if (!rows)
		return -ENOMEM;
	err = json ? print_json(s, rows, nr, by, sources) : print_text(s, rows, nr, by);
	free(rows);
	return err;
}
