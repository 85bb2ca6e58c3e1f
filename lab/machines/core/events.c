// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "core/events.h"

static bool event_before(const struct event *a, const struct event *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

static void events_grow(struct events *e)
{
	e->room = e->room ? 2 * e->room : 1024;
	e->heap = realloc(e->heap, e->room * sizeof(*e->heap));
	if (!e->heap) {
		fputs("rqspin-sim: out of memory\n", stderr);
		exit(1);
	}
}

void events_add(struct events *e, sim_time at, void (*fn)(void *, uint64_t), void *arg,
		uint64_t tag)
{
	struct event ev = { at, e->seq++, fn, arg, tag };
	size_t i;

	if (e->count == e->room)
		events_grow(e);
	for (i = e->count++; i && event_before(&ev, &e->heap[(i - 1) / 2]); i = (i - 1) / 2)
		e->heap[i] = e->heap[(i - 1) / 2];
	e->heap[i] = ev;
}

bool events_next(struct events *e, struct event *out)
{
	struct event last;
	size_t i = 0, child;

	if (!e->count)
		return false;
	*out = e->heap[0];
	last = e->heap[--e->count];
	while ((child = 2 * i + 1) < e->count) {
		if (child + 1 < e->count && event_before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (!event_before(&e->heap[child], &last))
			break;
		e->heap[i] = e->heap[child];
		i = child;
	}
	e->heap[i] = last;
	return true;
}

void events_free(struct events *e)
{
	free(e->heap);
	*e = (struct events){ 0 };
}
