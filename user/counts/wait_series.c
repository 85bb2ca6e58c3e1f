// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "counts/wait_series.h"
#include "waits/sum.h"

#define KEY_SIZE offsetof(struct wait_series, sum)

struct wait_histograms {
	struct groups groups;
	size_t max, named;
	__u64 others;
	bool full;
};

struct wait_histograms *wait_series_new(size_t max)
{
	struct wait_histograms *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->groups.size = sizeof(struct wait_series);
	t->max = max;
	return t;
}

void wait_series_free(struct wait_histograms *t)
{
	if (t)
		groups_clear(&t->groups);
	free(t);
}

static struct wait_series *series_get(struct wait_histograms *t, const struct wait_series *key)
{
	bool added;
	struct wait_series *s = groups_get(&t->groups, key, KEY_SIZE, &added);

	if (s && added)
		*s = *key;
	return s;
}

static bool series_add(struct wait_histograms *t, const struct wait_series *key,
		       const struct waits_sum *sum)
{
	struct wait_series *s = series_get(t, key);

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
	if (!named || groups_find(&t->groups, &key, KEY_SIZE))
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
	return t->groups.nr;
}

const struct wait_series *wait_series_at(const struct wait_histograms *t, size_t i)
{
	return groups_at(&t->groups, i);
}

__u64 wait_series_others(const struct wait_histograms *t)
{
	return t->others;
}

bool wait_series_full(const struct wait_histograms *t)
{
	return t->full;
}
