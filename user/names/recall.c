// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "names/named_lock.h"
#include "names/recall.h"

struct recalled {
	struct lockname name;
	__u64 when_ns;
};

/* Several sources report one failure within this time. */
#define RECALL_NEAR_NS 1000000

struct recall {
	struct recalled *items; /* by address, then time */
	size_t nr;
	bool sorted;
	struct recalled_map {
		__u32 id;
		__u64 first_ns;
	} *maps;
	size_t nr_maps;
};

struct recall *recall_new(void)
{
	return calloc(1, sizeof(struct recall));
}

void recall_free(struct recall *r)
{
	if (!r)
		return;
	free(r->items);
	free(r->maps);
	free(r);
}

/* There are few maps, and the last one is often the next. */
static struct recalled_map *recall_map_find(const struct recall *r, __u32 id)
{
	for (size_t i = r->nr_maps; i--;)
		if (r->maps[i].id == id)
			return &r->maps[i];
	return NULL;
}

static int recall_map_note(struct recall *r, __u32 id, __u64 when_ns)
{
	struct recalled_map *known = recall_map_find(r, id), fresh = { id, when_ns };

	if (known) {
		known->first_ns = known->first_ns < when_ns ? known->first_ns : when_ns;
		return 0;
	}
	return grow_append((void **)&r->maps, &r->nr_maps, &fresh, sizeof(fresh));
}

int recall_add(struct recall *r, const struct lockname *name, __u64 when_ns)
{
	struct recalled fresh = { *name, when_ns };

	if (grow_append((void **)&r->items, &r->nr, &fresh, sizeof(fresh)))
		return -ENOMEM;
	r->sorted = false;
	return name->map_id ? recall_map_note(r, name->map_id, when_ns) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct recalled *x = a, *y = b;

	if (x->name.addr != y->name.addr)
		return x->name.addr < y->name.addr ? -1 : 1;
	return (x->when_ns > y->when_ns) - (x->when_ns < y->when_ns);
}

static void recall_sort(struct recall *r)
{
	if (!r->sorted && r->nr)
		qsort(r->items, r->nr, sizeof(*r->items), by_address);
	r->sorted = true;
}

/* Index of the first item that is not before addr and when_ns. */
static size_t recall_from(const struct recall *r, __u64 addr, __u64 when_ns)
{
	const struct recalled key = { .name.addr = addr, .when_ns = when_ns };
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_address(&r->items[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct lockname *recall_lock(struct recall *r, __u64 addr, __u64 when_ns)
{
	const struct recalled *before, *after;
	size_t at;

	recall_sort(r);
	at = recall_from(r, addr, when_ns);
	after = at < r->nr && r->items[at].name.addr == addr ? &r->items[at] : NULL;
	before = at && r->items[at - 1].name.addr == addr ? &r->items[at - 1] : NULL;
	if (after && after->when_ns - when_ns < RECALL_NEAR_NS)
		return &after->name;
	if (before && when_ns - before->when_ns < RECALL_NEAR_NS)
		return &before->name;
	/* Ids of maps are not reused, so the map existed all the time in between. */
	if (before && after && before->name.map_id == after->name.map_id)
		return &before->name;
	return NULL;
}

bool recall_had_map(const struct recall *r, __u32 map_id, __u64 when_ns)
{
	const struct recalled_map *map = recall_map_find(r, map_id);

	return map && map->first_ns <= when_ns;
}

const struct lockname *recall_map(struct recall *r, __u32 map_id)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->items[i].name.map_id == map_id)
			return &r->items[i].name;
	return NULL;
}
