// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names/proginfo.h"
#include "events/newest.h"

struct newest {
	struct failure **items;
	size_t room, most;
	size_t added; /* since the beginning */
};

struct newest *newest_new(size_t most)
{
	struct newest *n = calloc(1, sizeof(*n));

	if (n)
		n->most = most;
	return n;
}

static void failure_drop(struct failure *f)
{
	if (!f)
		return;
	proginfo_put(f->prog);
	free(f->report);
	free(f);
}

static size_t newest_nr(const struct newest *n)
{
	return n->added < n->most ? n->added : n->most;
}

void newest_free(struct newest *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < newest_nr(n); i++)
		failure_drop(n->items[i]);
	free(n->items);
	free(n);
}

static int newest_grow(struct newest *n)
{
	size_t room = n->room ? n->room * 2 : 64;
	struct failure **items;

	if (newest_nr(n) < n->room || n->room == n->most)
		return 0;
	if (room > n->most)
		room = n->most;
	items = reallocarray(n->items, room, sizeof(*items));
	if (!items)
		return -ENOMEM;
	memset(items + n->room, 0, (room - n->room) * sizeof(*items));
	n->items = items;
	n->room = room;
	return 0;
}

static struct failure *failure_copy(const struct failure *f)
{
	struct failure *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *f;
	copy->report = f->report ? strdup(f->report) : NULL;
	proginfo_get(copy->prog);
	return copy;
}

int newest_add(struct newest *n, const struct failure *f)
{
	struct failure *copy;
	size_t at;

	if (newest_grow(n))
		return -ENOMEM;
	copy = failure_copy(f);
	if (!copy)
		return -ENOMEM;
	at = n->added++ % n->most;
	failure_drop(n->items[at]);
	n->items[at] = copy;
	return 0;
}

void newest_each(const struct newest *n, failure_fn fn, void *ctx)
{
	size_t nr = newest_nr(n);

	for (size_t i = 0; i < nr; i++)
		fn(n->items[(n->added - nr + i) % n->most], ctx);
}
