// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "output/page/gather.h"
#include "output/page/names.h"
#include "output/page/rank.h"
#include "output/page/waits.h"

int gather_init(struct gather *g)
{
	*g = (struct gather){ .kinds = json_object(),
			      .programs = json_object(),
			      .locks = json_object(),
			      .cycle_keys = json_object(),
			      .totals = json_object(),
			      .sources = json_object(),
			      .origins = json_array(),
			      .map_types = json_object() };
	if (!g->kinds || !g->programs || !g->locks || !g->cycle_keys || !g->totals || !g->sources ||
	    !g->origins || !g->map_types || known_init(&g->known))
		return -ENOMEM;
	return stacks_init(&g->stacks);
}

void gather_free(struct gather *g)
{
	json_decref(g->kinds);
	json_decref(g->programs);
	json_decref(g->locks);
	json_decref(g->cycle_keys);
	for (size_t i = 0; i < g->nr_cycles; i++) {
		free(g->cycles[i].waits);
		json_decref(g->cycles[i].first);
		json_decref(g->cycles[i].parties);
	}
	free(g->cycles);
	json_decref(g->totals);
	json_decref(g->sources);
	json_decref(g->origins);
	json_decref(g->map_types);
	known_free(&g->known);
	stacks_free(&g->stacks);
	timeline_free(&g->timeline);
}

/* The known cycle that @w may be part of; the two are joined then. NULL: there is none. */
static struct gather_cycle *cycle_find(struct gather *g, const json_t *places,
				       const struct waits *w)
{
	for (size_t i = 0; i < json_array_size(places); i++) {
		struct gather_cycle *c = &g->cycles[json_integer_value(json_array_get(places, i))];

		if (waits_join(c->waits, w))
			return c;
	}
	return NULL;
}

/* Takes over w. */
static struct gather_cycle *cycle_new(struct gather *g, const char *key, struct waits *w,
				      const json_t *line)
{
	struct gather_cycle c = { .waits = w,
				  .first = json_string(report_member(line, "time")),
				  .parties = json_incref(json_object_get(line, "parties")) };
	json_t *places = json_object_get(g->cycle_keys, key);

	if (g->nr_cycles == GATHER_CYCLES_KEPT ||
	    grow_append((void **)&g->cycles, &g->nr_cycles, &c, sizeof(c))) {
		free(w);
		json_decref(c.first);
		json_decref(c.parties);
		return NULL;
	}
	if (!places)
		places = rank_put(g->cycle_keys, key, json_array());
	json_array_append_new(places, json_integer(g->nr_cycles - 1));
	return &g->cycles[g->nr_cycles - 1];
}

static void add_cycle(struct gather *g, const json_t *line)
{
	struct waits *w = waits_read(line);
	char *key = w ? waits_key(w) : NULL;
	struct gather_cycle *c = key ? cycle_find(g, json_object_get(g->cycle_keys, key), w) : NULL;

	if (c)
		free(w);
	else if (key)
		c = cycle_new(g, key, w, line);
	else
		free(w);
	if (c)
		c->count++;
	else if (key)
		g->cycles_left_out++;
	free(key);
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
	const char *kind = rank_key(g->kinds, report_member(line, "kind"), RANK_KINDS);
	int err = timeline_add(&g->timeline, report_member(line, "time"), kind);

	/* A failure without a time is counted all the same. */
	if (err == -ENOMEM && !g->err)
		g->err = err;
	g->failures++;
	add_counts(g, line, 1);
	add_cycle(g, line);
}

static unsigned long long member_number(const json_t *line, const char *member)
{
	return json_integer_value(json_object_get(line, member));
}

/* The key tells an unknown program from one whose name is empty. The caller frees it. */
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
	rank_add(row, "count", member_number(total, "failures"));
	rank_add(row, "lost", member_number(total, "lost"));
	free(key);
}

/* Host, kernel and command of a recording; traces of earlier releases do not have them. */
static void add_origin(struct gather *g, const json_t *line)
{
	json_t *origin =
		json_pack("{s:s, s:s, s:s}", "host", report_member(line, "host"), "kernel",
			  report_member(line, "kernel"), "command", report_member(line, "command"));

	for (size_t i = 0; i < json_array_size(g->origins); i++)
		if (json_equal(json_array_get(g->origins, i), origin))
			goto known;
	if (*report_member(line, "kernel") && json_array_size(g->origins) < GATHER_ORIGINS)
		json_array_append(g->origins, origin);
known:
	json_decref(origin);
}

/* A file may have several traces, one after the other: their summaries are added up. */
static void add_summary(struct gather *g, const json_t *line)
{
	const json_t *totals = json_object_get(line, "totals");
	const json_t *types = json_object_get(line, "map_types_unseen");

	g->summaries++;
	add_origin(g, line);
	g->events += member_number(line, "events");
	g->rate_skipped += member_number(line, "skipped");
	g->lost += member_number(line, "lost");
	g->lost_unknown |= json_is_true(json_object_get(line, "lost_unknown"));
	g->missed += member_number(line, "programs_missed");
	g->unseen += member_number(line, "programs_unseen");
	rank_add(g->sources, rank_key(g->sources, report_member(line, "sources"), RANK_KINDS), 1);
	for (size_t i = 0; i < json_array_size(totals); i++)
		add_total(g, json_array_get(totals, i));
	for (size_t i = 0; i < json_array_size(types); i++) {
		const char *type = json_string_value(json_array_get(types, i));

		if (type)
			rank_add(g->map_types, rank_key(g->map_types, type, RANK_KINDS), 1);
	}
}

void gather_line(const json_t *line, void *ctx)
{
	const char *type = report_member(line, "type");
	struct gather *g = ctx;

	known_learn(&g->known, line);
	if (!strcmp(type, "wait")) {
		g->long_waits++;
	} else if (!strcmp(type, "failure")) {
		add_failure(g, line);
	} else if (!strcmp(type, "repeat")) {
		g->repeats += member_number(line, "again");
		add_counts(g, line, member_number(line, "again"));
	} else {
		add_summary(g, line);
	}
}

static void put_better(const struct known *k, char name[REPORT_NAME])
{
	char buf[REPORT_NAME];
	const char *better = known_better(k, name, buf);

	if (better != name)
		memcpy(name, buf, sizeof(buf));
}

static void name_members(const struct known *k, struct waits *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		put_better(k, w->members[i].who);
		put_better(k, w->members[i].lock);
	}
}

/* The table, with names that only other lines have. */
static json_t *named_table(const struct gather *g, json_t *table)
{
	json_t *named = json_object(), *row, *top;
	char buf[REPORT_NAME];
	const char *name;

	json_object_foreach(table, name, row)
		rank_merge(named, known_better(&g->known, name, buf), row);
	top = rank_top(named, GATHER_TOP);
	json_decref(named);
	return top;
}

static void name_stacks(const struct known *k, json_t *node)
{
	json_t *children = json_object_get(node, "children");
	const char *name = report_member(node, "name"), *better;
	char buf[REPORT_NAME];

	better = known_better(k, name, buf);
	if (better != name)
		json_object_set_new(node, "name", json_string(better));
	for (size_t i = 0; i < json_array_size(children); i++)
		name_stacks(k, json_array_get(children, i));
}

static json_t *named_stacks(const struct gather *g)
{
	json_t *stacks = stacks_json(&g->stacks);

	name_stacks(&g->known, stacks);
	return stacks;
}

static json_t *cycle_json(const struct gather_cycle *c)
{
	char *text = waits_text(c->waits), *dot = waits_dot(c->waits);
	json_t *row = json_pack("{s:I, s:s, s:s*, s:O, s:O, s:s*}", "count", (json_int_t)c->count,
				"kind", c->waits->kind, "text", text, "first", c->first, "parties",
				c->parties, "dot", dot);

	free(text);
	free(dot);
	return row;
}

static json_t *cycles_json(const struct gather *g)
{
	json_t *table = json_object(), *top, *rows;
	char key[24];

	for (size_t i = 0; i < g->nr_cycles; i++) {
		snprintf(key, sizeof(key), "%08zu", i);
		name_members(&g->known, g->cycles[i].waits);
		rank_put(table, key, cycle_json(&g->cycles[i]));
	}
	top = rank_top(table, GATHER_CYCLES);
	rows = json_object_get(top, "rows");
	for (size_t i = 0; i < json_array_size(rows); i++)
		json_object_del(json_array_get(rows, i), "name");
	rank_add(top, "more_count", g->cycles_left_out);
	json_decref(table);
	return top;
}

static json_t *keys_json(json_t *table)
{
	json_t *keys = json_array(), *value;
	const char *key;

	json_object_foreach(table, key, value)
		json_array_append_new(keys, json_string(key));
	return keys;
}

static json_t *summary_json(const struct gather *g)
{
	json_t *sources = keys_json(g->sources), *types = keys_json(g->map_types);

	return json_pack("{s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:o, s:O, s:o}", "summaries",
			 (json_int_t)g->summaries, "events", (json_int_t)g->events, "skipped",
			 (json_int_t)g->rate_skipped, "lost", (json_int_t)g->lost, "lost_unknown",
			 g->lost_unknown || !g->summaries, "programs_missed", (json_int_t)g->missed,
			 "programs_unseen", (json_int_t)g->unseen, "sources", sources, "recorded",
			 g->origins, "map_types_unseen", types);
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
			 timeline_json(&g->timeline), "programs", named_table(g, g->programs),
			 "locks", named_table(g, g->locks), "cycles", cycles_json(g), "stacks",
			 named_stacks(g), "totals", totals_json(g), "summary", summary_json(g));
}
