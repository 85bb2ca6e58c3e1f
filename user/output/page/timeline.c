// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "base/utf8.h"
#include "output/page/rank.h"
#include "output/page/timeline.h"

int timeline_us(const char *text, int64_t *us)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int micro, end = 0;

	if (!rest || sscanf(rest, ".%6dZ%n", &micro, &end) != 1 || !end || rest[end] || micro < 0)
		return -EINVAL;
	*us = timegm(&tm) * 1000000LL + micro;
	return 0;
}

static int moment_order(const void *a, const void *b)
{
	const struct moment *m = a, *n = b;

	return m->us != n->us ? (m->us > n->us) - (m->us < n->us) : strcmp(m->kind, n->kind);
}

/* Moments of the same kind within a step become one. */
static void moments_merge(struct timeline *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->nr; i++)
		t->moments[i].us -= (t->moments[i].us - t->first) % t->step_us;
	qsort(t->moments, t->nr, sizeof(*t->moments), moment_order);
	for (size_t i = 0; i < t->nr; i++) {
		struct moment *last = kept ? &t->moments[kept - 1] : NULL;

		if (last && !moment_order(last, &t->moments[i]))
			last->count += t->moments[i].count;
		else
			t->moments[kept++] = t->moments[i];
	}
	t->nr = kept;
}

static void make_room(struct timeline *t)
{
	size_t most = t->most ? t->most : TIMELINE_MOMENTS;

	if (t->nr < most)
		return;
	do {
		t->step_us = t->step_us ? t->step_us * 2 : 1;
		moments_merge(t);
	} while (t->nr > most / 2);
}

int timeline_add(struct timeline *t, const char *time, const char *kind)
{
	struct moment m = { .count = 1 };

	if (timeline_us(time, &m.us))
		return -EINVAL;
	t->first = !t->nr || m.us < t->first ? m.us : t->first;
	t->last = !t->nr || m.us > t->last ? m.us : t->last;
	utf8_copy(m.kind, sizeof(m.kind), kind);
	make_room(t);
	return grow_append((void **)&t->moments, &t->nr, &m, sizeof(m));
}

void timeline_free(struct timeline *t)
{
	free(t->moments);
}

json_t *timeline_json(const struct timeline *t)
{
	json_t *bins = json_array();
	int64_t width;

	if (!t->nr) {
		json_decref(bins);
		return json_null();
	}
	width = (t->last - t->first) / TIMELINE_BINS + 1;
	for (int i = 0; i < TIMELINE_BINS; i++)
		json_array_append_new(bins, json_object());
	for (size_t i = 0; i < t->nr; i++) {
		const struct moment *m = &t->moments[i];
		json_t *bin;

		bin = json_array_get(bins, (m->us - t->first) / width);
		rank_add(bin, rank_key(bin, m->kind, RANK_KINDS), m->count);
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "start_us", (json_int_t)t->first, "end_us",
			 (json_int_t)t->last, "width_us", (json_int_t)width, "bins", bins);
}
