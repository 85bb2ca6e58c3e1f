// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "names/named_lock.h"
#include "names/recall.h"

struct recalled {
	struct lockname name;
	__u64 when_ns;
};

struct recall {
	struct recalled *items; /* by address, then time */
	size_t nr, room;
	bool sorted;
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
	free(r);
}

int recall_add(struct recall *r, const struct lockname *name, __u64 when_ns)
{
	if (r->nr == r->room) {
		size_t room = r->room ? r->room * 2 : 256;
		struct recalled *items = reallocarray(r->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		r->items = items;
		r->room = room;
	}
	r->items[r->nr++] = (struct recalled){ *name, when_ns };
	r->sorted = false;
	return 0;
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

/* The first that is not before. */
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
	if (!after || (before && when_ns - before->when_ns < after->when_ns - when_ns))
		after = before;
	return after ? &after->name : NULL;
}

const struct lockname *recall_map(struct recall *r, __u32 map_id)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->items[i].name.map_id == map_id)
			return &r->items[i].name;
	return NULL;
}
