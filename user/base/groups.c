// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/groups.h"
#include "base/grow.h"

struct group {
	UT_hash_handle hh;
	size_t row;
	char key[];
};

void groups_pad(char *text, size_t size)
{
	size_t len = strnlen(text, size);

	memset(text + len, 0, size - len);
}

void *groups_at(const struct groups *g, size_t i)
{
	return (char *)g->rows + i * g->size;
}

void *groups_find(const struct groups *g, const void *key, size_t size)
{
	struct group *found;

	HASH_FIND(hh, g->index, key, size, found);
	return found ? groups_at(g, found->row) : NULL;
}

/* uthash leaves out an item that its own table has no memory for. */
static struct group *group_index(struct groups *g, const void *key, size_t size)
{
	struct group *one = calloc(1, sizeof(*one) + size);

	if (!one)
		return NULL;
	one->row = g->nr;
	memcpy(one->key, key, size);
	HASH_ADD_KEYPTR(hh, g->index, one->key, size, one);
	if (one->hh.tbl)
		return one;
	free(one);
	return NULL;
}

static void *group_add(struct groups *g, const void *key, size_t size)
{
	struct group *one = group_index(g, key, size);
	void *row;

	if (!one)
		return NULL;
	row = grow_add(&g->rows, &g->nr, g->size);
	if (row)
		return row;
	HASH_DEL(g->index, one);
	free(one);
	return NULL;
}

void *groups_get(struct groups *g, const void *key, size_t size, bool *added)
{
	void *row = groups_find(g, key, size);

	if (added)
		*added = !row;
	return row ? row : group_add(g, key, size);
}

void groups_clear(struct groups *g)
{
	struct group *one, *next;

	HASH_ITER(hh, g->index, one, next)
	{
		HASH_DEL(g->index, one);
		free(one);
	}
	free(g->rows);
	g->rows = NULL;
	g->nr = 0;
}
