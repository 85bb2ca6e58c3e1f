// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/utf8.h"
#include "report/rank.h"
#include "report/timeline.h"

static int parse(const char *text, int64_t *us)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int micro, end = 0;

	if (!rest || sscanf(rest, ".%6dZ%n", &micro, &end) != 1 || !end || rest[end] || micro < 0)
		return -EINVAL;
	*us = timegm(&tm) * 1000000LL + micro;
	return 0;
}

int timeline_add(struct timeline *t, const char *time, const char *kind)
{
	struct moment m;

	if (parse(time, &m.us))
		return -EINVAL;
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 1024;
		struct moment *grown = reallocarray(t->moments, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->moments = grown;
		t->room = room;
	}
	utf8_copy(m.kind, sizeof(m.kind), kind);
	t->moments[t->nr++] = m;
	return 0;
}

void timeline_free(struct timeline *t)
{
	free(t->moments);
}

/* Lines are in order of reading, which need not be that of time. */
static void ends(const struct timeline *t, int64_t *first, int64_t *last)
{
	*first = *last = t->moments[0].us;
	for (size_t i = 1; i < t->nr; i++) {
		int64_t us = t->moments[i].us;

		*first = us < *first ? us : *first;
		*last = us > *last ? us : *last;
	}
}

json_t *timeline_json(const struct timeline *t)
{
	json_t *bins = json_array();
	int64_t first, last, width;

	if (!t->nr) {
		json_decref(bins);
		return json_null();
	}
	ends(t, &first, &last);
	width = (last - first) / TIMELINE_BINS + 1;
	for (int i = 0; i < TIMELINE_BINS; i++)
		json_array_append_new(bins, json_object());
	for (size_t i = 0; i < t->nr; i++) {
		const struct moment *m = &t->moments[i];
		json_t *bin;

		bin = json_array_get(bins, (m->us - first) / width);
		rank_add(bin, rank_key(bin, m->kind, RANK_KINDS), 1);
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "start_us", (json_int_t)first, "end_us",
			 (json_int_t)last, "width_us", (json_int_t)width, "bins", bins);
}
