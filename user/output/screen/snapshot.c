// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counts/counts.h"
#include "output/screen/contention.h"
#include "output/screen/latest.h"
#include "output/screen/snapshot.h"

static double per_second(__u64 now, __u64 before, double seconds)
{
	return now > before && seconds > 0 ? (now - before) / seconds : 0;
}

void snapshot_free(struct snapshot *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->all[i].latest);
	free(s->all);
	free(s->contended);
	*s = (struct snapshot){ 0 };
}

static void read_one(struct reading *r, const struct snapshot *before, size_t i,
		     const struct latests *latest, double seconds)
{
	const char *text = latest ? latest_text(latest, i, &r->when) : NULL;

	r->latest = text ? strdup(text) : NULL;
	r->rate = per_second(r->s.total, i < before->nr ? before->all[i].s.total : 0, seconds);
}

static void add_up(struct snapshot *s, const struct snapshot *before, double seconds)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct series *x = &s->all[i].s;

		s->failures += x->total;
		s->counted_only += x->total - x->seen;
		if (!x->prog[0] && !x->lock[0])
			s->unnamed += x->total;
	}
	s->rate = per_second(s->failures, before->failures, seconds);
}

int snapshot_take(struct snapshot *s, const struct counts *c, const struct latests *latest,
		  __u64 now)
{
	double seconds = s->when_ns ? (now - s->when_ns) / 1e9 : 0;
	struct snapshot fresh = {
		.nr = series_nr(c->series),
		.when_ns = now,
		.full = series_full(c->series),
		.losses = c->uncounted,
	};

	fresh.all = calloc(fresh.nr + 1, sizeof(*fresh.all));
	if (!fresh.all)
		return -ENOMEM;
	for (size_t i = 0; i < fresh.nr; i++) {
		fresh.all[i].s = *series_at(c->series, i);
		read_one(&fresh.all[i], s, i, latest, seconds);
	}
	add_up(&fresh, s, seconds);
	snapshot_free(s);
	*s = fresh;
	return 0;
}

int snapshot_add_waits(struct snapshot *s, const struct contention *c)
{
	s->contended = contention_locks(c, &s->nr_contended);
	s->waits = true;
	s->waits_dropped = contention_dropped(c);
	return s->contended ? 0 : -ENOMEM;
}
