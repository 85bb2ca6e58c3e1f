// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts/wait_series.h"
#include "waits/sum.h"

struct wait_histograms {
	struct wait_series *rows;
	size_t nr, room, max, named;
	__u64 others;
	bool full;
};

struct wait_histograms *wait_series_new(size_t max)
{
	struct wait_histograms *t = calloc(1, sizeof(*t));

	if (t)
		t->max = max;
	return t;
}

void wait_series_free(struct wait_histograms *t)
{
	if (t)
		free(t->rows);
	free(t);
}

static bool series_is(const struct wait_series *s, const struct wait_series *key)
{
	return !strcmp(s->prog, key->prog) && !strcmp(s->lock, key->lock) &&
	       !strcmp(s->cgroup, key->cgroup);
}

static struct wait_series *series_find(struct wait_histograms *t, const struct wait_series *key)
{
	for (size_t i = 0; i < t->nr; i++)
		if (series_is(&t->rows[i], key))
			return &t->rows[i];
	return NULL;
}

static struct wait_series *series_append(struct wait_histograms *t, const struct wait_series *key)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 16;
		struct wait_series *rows = reallocarray(t->rows, room, sizeof(*rows));

		if (!rows)
			return NULL;
		t->rows = rows;
		t->room = room;
	}
	t->rows[t->nr] = *key;
	return &t->rows[t->nr++];
}

static bool series_add(struct wait_histograms *t, const struct wait_series *key,
		       const struct waits_sum *sum)
{
	struct wait_series *s = series_find(t, key) ?: series_append(t, key);

	if (s)
		waits_sum_add(&s->sum, sum);
	return s;
}

bool wait_series_add_other(struct wait_histograms *t, const struct waits_sum *sum)
{
	struct wait_series nobody = { 0 };

	if (!series_add(t, &nobody, sum))
		return false;
	t->others += sum->count;
	return true;
}

bool wait_series_add(struct wait_histograms *t, const char *prog, const char *lock,
		     const char *cgroup, const struct waits_sum *sum)
{
	struct wait_series key = { 0 };
	bool named = *prog || *lock || *cgroup;

	snprintf(key.prog, sizeof(key.prog), "%s", prog);
	snprintf(key.lock, sizeof(key.lock), "%s", lock);
	snprintf(key.cgroup, sizeof(key.cgroup), "%s", cgroup);
	if (!named || series_find(t, &key))
		return series_add(t, &key, sum);
	if (t->named >= t->max) {
		t->full = true;
		return wait_series_add_other(t, sum);
	}
	if (!series_add(t, &key, sum))
		return false;
	t->named++;
	return true;
}

size_t wait_series_nr(const struct wait_histograms *t)
{
	return t->nr;
}

const struct wait_series *wait_series_at(const struct wait_histograms *t, size_t i)
{
	return &t->rows[i];
}

__u64 wait_series_others(const struct wait_histograms *t)
{
	return t->others;
}

bool wait_series_full(const struct wait_histograms *t)
{
	return t->full;
}
