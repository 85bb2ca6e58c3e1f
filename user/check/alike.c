// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check/alike.h"
#include "check/graph.h"

static bool is_alike(const struct check_map *a, const struct check_map *b)
{
	return a->object && b->object && strcmp(a->object, b->object) && !a->shared && !b->shared &&
	       a->type == b->type && a->key_size == b->key_size && a->value_size == b->value_size &&
	       !strcmp(a->name, b->name);
}

/* Is a lock of the map taken while another one is held, or the other way round? */
static bool is_ordered(const struct record *record, size_t map)
{
	for (size_t i = 0; i < record->nr_edges; i++)
		if ((record->edges[i].from.lock.kind == LOCK_MAP &&
		     record->edges[i].from.lock.map == map) ||
		    (record->edges[i].to.lock.kind == LOCK_MAP &&
		     record->edges[i].to.lock.map == map))
			return true;
	return false;
}

/* Mark maps that are like an earlier one with its number; return how many there are. */
static size_t alike_mark(struct check_set *set, const struct record *record)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr_maps; i++) {
		if (set->maps[i].alike || !is_ordered(record, i))
			continue;
		for (size_t j = i + 1; j < set->nr_maps; j++) {
			if (set->maps[j].alike || !is_alike(&set->maps[i], &set->maps[j]) ||
			    !is_ordered(record, j))
				continue;
			set->maps[i].alike = set->maps[j].alike = i + 1;
			nr++;
		}
	}
	return nr;
}

static void alike_tell(const struct check_set *set, size_t first, struct findings *f)
{
	const struct check_map *m = &set->maps[first];
	struct finding *one =
		finding_add(f, FINDING_NOTE, "assumed", NULL, 0,
			    "map %s is taken for another one in each object: if their command "
			    "gives all of them the same, there is a possible deadlock",
			    m->name);

	if (!one)
		return;
	one->at.object = strdup(m->object);
	one->fix = "check what is loaded, with --loaded, or pin the map by its name";
	for (size_t i = first; i < set->nr_maps; i++) {
		size_t nr = one->nr_stages;

		if (set->maps[i].alike != m->alike)
			continue;
		finding_stage(f, one, NULL, 0, "it is in this object");
		if (one->nr_stages > nr)
			one->stages[nr].at.object = strdup(set->maps[i].object);
	}
}

/* Find the maps that close the cycle only because they are assumed to be one map. */
static void alike_find(const struct check_set *set, const struct cycle *c, bool *told)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		size_t to = c->edges[i]->to.lock.map;
		size_t from = c->edges[(i + 1) % c->nr]->from.lock.map;

		if (to != from && set->maps[to].alike &&
		    set->maps[to].alike == set->maps[from].alike)
			told[set->maps[to].alike - 1] = true;
	}
}

static int alike_try(const struct check_set *set, const struct record *record, struct findings *f)
{
	struct cycles *cycles = calloc(1, sizeof(*cycles));
	bool *told = calloc(set->nr_maps + 1, sizeof(*told));
	int err = cycles && told ? graph_cycles(set, record, cycles) : -ENOMEM;

	for (size_t i = 0; !err && i < cycles->nr; i++)
		alike_find(set, &cycles->all[i], told);
	for (size_t i = 0; !err && i < set->nr_maps; i++)
		if (told[i])
			alike_tell(set, i, f);
	if (cycles)
		cycles_free(cycles);
	free(cycles);
	free(told);
	return err;
}

int alike_judge(struct check_set *set, const struct record *record, struct findings *f)
{
	int err = alike_mark(set, record) ? alike_try(set, record, f) : 0;

	for (size_t i = 0; i < set->nr_maps; i++)
		set->maps[i].alike = 0;
	return err;
}
