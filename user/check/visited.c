// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "check/visited.h"

#define APART 48 /* states that differ by values alone are kept apart, at one place */

struct seen {
	struct state *st;
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

/* NULL if one of them covers it; else the latest that is alike. */
static const struct seen *look(const struct visited *v, const struct state *st, __u32 live, int *nr,
			       bool *covered)
{
	const struct seen *latest = NULL;

	*nr = 0;
	*covered = false;
	for (const struct seen *s = v->at[st->pc]; s; s = s->next) {
		if (!state_alike(s->st, st))
			continue;
		*covered = state_covers(s->st, st, live);
		if (*covered)
			return NULL;
		if (!latest)
			latest = s;
		(*nr)++;
	}
	return latest;
}

static int keep(struct visited *v, const struct state *st)
{
	struct seen *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->st = state_copy(st);
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
	const struct seen *latest;
	bool covered;
	int nr;

	latest = look(v, st, live, &nr, &covered);
	if (!covered && nr >= APART) {
		state_join(syms, st, latest->st, st->pc);
		look(v, st, live, &nr, &covered);
	}
	return covered ? 0 : keep(v, st);
}
