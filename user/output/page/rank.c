// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "output/page/rank.h"

void rank_add(json_t *object, const char *member, unsigned long long nr)
{
	json_int_t now = json_integer_value(json_object_get(object, member));

	if (object)
		json_object_set_new(object, member, json_integer(now + nr));
}

const char *rank_key(const json_t *table, const char *name, size_t most)
{
	if (json_object_get(table, name) || json_object_size(table) < most)
		return name;
	return RANK_REST;
}

json_t *rank_put(json_t *table, const char *name, json_t *row)
{
	return json_object_set_new(table, name, row) ? NULL : row;
}

void rank_count(json_t *table, const char *name, const char *kind, unsigned long long nr)
{
	json_t *row, *kinds;

	name = rank_key(table, name, RANK_NAMES);
	row = json_object_get(table, name);
	if (!row)
		row = rank_put(table, name, json_pack("{s:i, s:{}}", "count", 0, "kinds"));
	kinds = json_object_get(row, "kinds");
	rank_add(row, "count", nr);
	rank_add(kinds, rank_key(kinds, kind, RANK_KINDS), nr);
}

void rank_merge(json_t *table, const char *name, const json_t *row)
{
	json_t *there = json_object_get(table, name), *nr;
	const char *kind;

	if (!there) {
		rank_put(table, name, json_deep_copy(row));
		return;
	}
	rank_add(there, "count", json_integer_value(json_object_get(row, "count")));
	json_object_foreach(json_object_get(row, "kinds"), kind, nr)
		rank_add(json_object_get(there, "kinds"), kind, json_integer_value(nr));
}

static json_int_t count_of(const json_t *row)
{
	return json_integer_value(json_object_get(row, "count"));
}

static int larger_first(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t m = count_of(x), n = count_of(y);
	const char *p = json_string_value(json_object_get(x, "name"));
	const char *q = json_string_value(json_object_get(y, "name"));

	if (m != n || !p || !q)
		return (m < n) - (m > n);
	return strcmp(p, q);
}

void rank_sort(json_t *list)
{
	size_t nr = json_array_size(list);
	json_t **rows = reallocarray(NULL, nr ? nr : 1, sizeof(json_t *));

	if (!rows)
		return;
	for (size_t i = 0; i < nr; i++)
		rows[i] = json_incref(json_array_get(list, i));
	qsort(rows, nr, sizeof(json_t *), larger_first);
	json_array_clear(list);
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(list, rows[i]);
	free(rows);
}

json_t *rank_top(const json_t *table, size_t most)
{
	json_t *list = json_array(), *row;
	json_int_t more = 0, more_count = 0;
	const char *name;

	json_object_foreach((json_t *)table, name, row) {
		json_t *named = json_copy(row);

		json_object_set_new(named, "name", json_string(name));
		json_array_append_new(list, named);
	}
	rank_sort(list);
	for (; json_array_size(list) > most; more++) {
		size_t last = json_array_size(list) - 1;

		more_count += count_of(json_array_get(list, last));
		json_array_remove(list, last);
	}
	return json_pack("{s:o, s:I, s:I}", "rows", list, "more", more, "more_count", more_count);
}
