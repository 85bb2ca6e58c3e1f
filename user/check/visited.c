// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "check/visited.h"

/* States with the same locks held that are kept apart at one place. */
#define APART_NUMBERS 48  /* that differ by numbers */
#define APART	      200 /* by pointers too */

struct seen {
	struct state *st;
	__u32 hash;
	struct seen *next; /* the latest first */
};

struct visited {
	__u32 nr;
	struct seen *at[];
};

struct visited *visited_new(__u32 nr_insns)
{
	struct visited *v = calloc(1, sizeof(*v) + nr_insns * sizeof(v->at[0]));

	if (v)
		v->nr = nr_insns;
	return v;
}

void visited_free(struct visited *v)
{
	for (__u32 pc = 0; v && pc < v->nr; pc++)
		for (struct seen *s = v->at[pc], *next; s; s = next) {
			next = s->next;
			state_free(s->st);
			free(s);
		}
	free(v);
}

/* Those that are like a state: how many, and the latest of each sort. */
struct alike {
	bool covered;
	int nr, nr_close;
	const struct state *latest, *latest_close;
};

static struct alike look(const struct visited *v, const struct state *st, __u32 live)
{
	__u32 hash = state_hash(st);
	struct alike a = {};

	for (const struct seen *s = v->at[st->pc]; s && !a.covered; s = s->next) {
		if (s->hash != hash || !state_alike(s->st, st))
			continue;
		a.covered = state_covers(s->st, st, live);
		if (!a.nr++)
			a.latest = s->st;
		if (state_close(s->st, st) && !a.nr_close++)
			a.latest_close = s->st;
	}
	return a;
}

static int keep(struct visited *v, const struct state *st)
{
	struct seen *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->hash = state_hash(st);
	s->st = state_keep(st);
	if (!s->st) {
		free(s);
		return -ENOMEM;
	}
	s->next = v->at[st->pc];
	v->at[st->pc] = s;
	return 1;
}

int visited_add(struct visited *v, struct syms *syms, struct state *st, __u32 live)
{
	struct alike a = look(v, st, live);
	const struct state *with = a.nr_close >= APART_NUMBERS ? a.latest_close :
				   a.nr >= APART	       ? a.latest :
								 NULL;

	if (!a.covered && with) {
		state_join(syms, st, with, st->pc);
		if (st->bounds)
			st->bounds->joined++;
		a = look(v, st, live);
	}
	return a.covered ? 0 : keep(v, st);
}
