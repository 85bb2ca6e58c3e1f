// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/gather.h"
#include "report/names.h"
#include "report/rank.h"
#include "report/waits.h"

int gather_init(struct gather *g)
{
	*g = (struct gather){ .kinds = json_object(),
			      .programs = json_object(),
			      .locks = json_object(),
			      .cycles = json_object(),
			      .totals = json_object(),
			      .sources = json_object(),
			      .map_types = json_object() };
	if (!g->kinds || !g->programs || !g->locks || !g->cycles || !g->totals || !g->sources ||
	    !g->map_types)
		return -ENOMEM;
	return stacks_init(&g->stacks);
}

void gather_free(struct gather *g)
{
	json_decref(g->kinds);
	json_decref(g->programs);
	json_decref(g->locks);
	json_decref(g->cycles);
	json_decref(g->totals);
	json_decref(g->sources);
	json_decref(g->map_types);
	stacks_free(&g->stacks);
	timeline_free(&g->timeline);
}

static json_t *new_cycle(const json_t *line)
{
	char *text = waits_text(line);
	json_t *cycle =
		json_pack("{s:i, s:s, s:s*, s:s, s:O}", "count", 0, "kind",
			  report_member(line, "kind"), "text", text, "first",
			  report_member(line, "time"), "parties", json_object_get(line, "parties"));

	free(text);
	return cycle;
}

/* Alike are those whose graphs are. */
static void add_cycle(struct gather *g, const json_t *line)
{
	char *dot = waits_dot(line);
	json_t *cycle = dot ? json_object_get(g->cycles, dot) : NULL;

	if (dot && !cycle && json_object_size(g->cycles) < GATHER_CYCLES_KEPT)
		cycle = rank_put(g->cycles, dot, new_cycle(line));
	if (dot && !cycle)
		g->cycles_left_out++;
	rank_add(cycle, "count", 1);
	free(dot);
}

static void add_counts(struct gather *g, const json_t *line, unsigned long long nr)
{
	const char *kind = report_member(line, "kind");
	char name[REPORT_NAME];

	rank_add(g->kinds, rank_key(g->kinds, kind, RANK_KINDS), nr);
	rank_count(g->programs, report_prog(line, name), kind, nr);
	rank_count(g->locks, report_failed_lock(line, name), kind, nr);
	stacks_add(&g->stacks, line, nr);
}

static void add_failure(struct gather *g, const json_t *line)
{
	int err = timeline_add(&g->timeline, report_member(line, "time"),
			       report_member(line, "kind"));

	/* One without a time is counted all the same. */
	if (err == -ENOMEM && !g->err)
		g->err = err;
	g->failures++;
	add_counts(g, line, 1);
	add_cycle(g, line);
}

static unsigned long long number(const json_t *line, const char *member)
{
	return json_integer_value(json_object_get(line, member));
}

/* An unknown program is none whose name is empty. To be freed. */
static char *total_key(const json_t *total)
{
	char *prog = json_dumps(json_object_get(total, "prog"), JSON_ENCODE_ANY), *key = NULL;

	if (asprintf(&key, "%s %s", report_member(total, "kind"), prog ? prog : "") < 0)
		key = NULL;
	free(prog);
	return key;
}

static json_t *total_row(struct gather *g, const json_t *total, const char *key)
{
	const char *prog = report_member(total, "prog"), *kind = report_member(total, "kind");
	json_t *row = json_object_get(g->totals, key);

	if (!strcmp(key, RANK_REST))
		prog = kind = RANK_REST;
	return row   ?:
		       rank_put(g->totals, key,
				json_pack("{s:s, s:s, s:i, s:i}", "prog", prog, "kind", kind,
					  "count", 0, "lost", 0));
}

static void add_total(struct gather *g, const json_t *total)
{
	char *key = total_key(total);
	json_t *row = key ? total_row(g, total, rank_key(g->totals, key, RANK_NAMES)) : NULL;

	if (!row)
		g->err = g->err ?: -ENOMEM;
	rank_add(row, "count", number(total, "failures"));
	rank_add(row, "lost", number(total, "lost"));
	free(key);
}

/* Files of before this member do not have it. */
static void add_map_types(struct gather *g, const json_t *types)
{
	json_t *type;
	size_t i;

	json_array_foreach(types, i, type)
		if (json_is_string(type))
			rank_add(g->map_types,
				 rank_key(g->map_types, json_string_value(type), RANK_KINDS), 1);
}

/* Of traces one after the other in one file, the sums. */
static void add_summary(struct gather *g, const json_t *line)
{
	const json_t *totals = json_object_get(line, "totals");

	g->summaries++;
	g->events += number(line, "events");
	g->rate_skipped += number(line, "skipped");
	g->lost += number(line, "lost");
	g->lost_unknown |= json_is_true(json_object_get(line, "lost_unknown"));
	g->missed += number(line, "programs_missed");
	g->unseen += number(line, "programs_unseen");
	rank_add(g->sources, rank_key(g->sources, report_member(line, "sources"), RANK_KINDS), 1);
	add_map_types(g, json_object_get(line, "map_types_unseen"));
	for (size_t i = 0; i < json_array_size(totals); i++)
		add_total(g, json_array_get(totals, i));
}

void gather_line(const json_t *line, void *ctx)
{
	const char *type = report_member(line, "type");
	struct gather *g = ctx;

	if (!strcmp(type, "failure")) {
		add_failure(g, line);
	} else if (!strcmp(type, "repeat")) {
		g->repeats += number(line, "again");
		add_counts(g, line, number(line, "again"));
	} else {
		add_summary(g, line);
	}
}

/* The key of a cycle is its graph. */
static json_t *cycles_json(const struct gather *g)
{
	json_t *top = rank_top(g->cycles, GATHER_CYCLES), *rows = json_object_get(top, "rows");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);

		json_object_set(row, "dot", json_object_get(row, "name"));
		json_object_del(row, "name");
	}
	rank_add(top, "more_count", g->cycles_left_out);
	return top;
}

static json_t *keys_json(const json_t *object)
{
	json_t *list = json_array(), *nr;
	const char *name;

	json_object_foreach((json_t *)object, name, nr)
		json_array_append_new(list, json_string(name));
	return list;
}

static json_t *summary_json(const struct gather *g)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:o, s:o}", "summaries",
			 (json_int_t)g->summaries, "events", (json_int_t)g->events, "skipped",
			 (json_int_t)g->rate_skipped, "lost", (json_int_t)g->lost, "lost_unknown",
			 g->lost_unknown || !g->summaries, "programs_missed", (json_int_t)g->missed,
			 "programs_unseen", (json_int_t)g->unseen, "map_types_unseen",
			 keys_json(g->map_types), "sources", keys_json(g->sources));
}

static json_t *totals_json(const struct gather *g)
{
	json_t *list = json_array(), *row;
	const char *key;

	json_object_foreach(g->totals, key, row)
		json_array_append(list, row);
	rank_sort(list);
	return list;
}

json_t *gather_json(const struct gather *g)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:O, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "failures",
			 (json_int_t)g->failures, "repeats", (json_int_t)g->repeats, "traces",
			 (json_int_t)g->stacks.traces, "stacks_shortened",
			 (json_int_t)g->stacks.shortened, "kinds", g->kinds, "timeline",
			 timeline_json(&g->timeline), "programs", rank_top(g->programs, GATHER_TOP),
			 "locks", rank_top(g->locks, GATHER_TOP), "cycles", cycles_json(g),
			 "stacks", stacks_json(&g->stacks), "totals", totals_json(g), "summary",
			 summary_json(g));
}
