// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "check/visited.h"

/* States with the same locks held that are kept apart at one place; further ones are merged. */
#define APART_NUMBERS 48  /* that differ by numbers only */
#define APART	      200 /* that differ by pointers, too */
#define BUCKETS	      (1 << 14)

struct seen {
	struct state *st;
	__u32 hash, pc;
	struct seen *next; /* the latest first */
};

struct visited {
	unsigned long looks;
	size_t bytes;
	struct seen *buckets[BUCKETS];
};

struct visited *visited_new(void)
{
	return calloc(1, sizeof(struct visited));
}

void visited_free(struct visited *v)
{
	for (__u32 i = 0; v && i < BUCKETS; i++)
		for (struct seen *s = v->buckets[i], *next; s; s = next) {
			next = s->next;
			state_free(s->st);
			free(s);
		}
	free(v);
}

unsigned long visited_looks(const struct visited *v)
{
	return v->looks;
}

size_t visited_bytes(const struct visited *v)
{
	return v->bytes;
}

static __u32 hash_of(const struct state *st)
{
	return state_hash(st) ^ st->pc * 0x85ebca6bU;
}

static __u32 bucket_of(__u32 hash)
{
	return (hash ^ hash >> 14) % BUCKETS;
}

/* Kept states that are like a given one: how many, and the latest of each sort. */
struct alike {
	bool covered;
	int nr, nr_close;
	const struct state *latest, *latest_close;
};

static struct alike visited_look(struct visited *v, const struct state *st, __u32 live)
{
	__u32 hash = hash_of(st);
	struct alike a = {};

	for (const struct seen *s = v->buckets[bucket_of(hash)]; s && !a.covered; s = s->next) {
		if (s->hash != hash || s->pc != st->pc || !state_alike(s->st, st))
			continue;
		v->looks++;
		a.covered = state_covers(s->st, st, live);
		if (!a.nr++)
			a.latest = s->st;
		if (state_close(s->st, st) && !a.nr_close++)
			a.latest_close = s->st;
	}
	return a;
}

static int visited_keep(struct visited *v, const struct state *st)
{
	struct seen *s = calloc(1, sizeof(*s)), **bucket;

	if (!s)
		return -ENOMEM;
	s->hash = hash_of(st);
	s->pc = st->pc;
	s->st = state_keep(st);
	if (!s->st) {
		free(s);
		return -ENOMEM;
	}
	v->bytes += sizeof(*s) + state_bytes(s->st);
	bucket = &v->buckets[bucket_of(s->hash)];
	s->next = *bucket;
	*bucket = s;
	return 1;
}

int visited_add(struct visited *v, struct syms *syms, struct state *st, __u32 live)
{
	struct alike a = visited_look(v, st, live);
	const struct state *with = a.nr_close >= APART_NUMBERS ? a.latest_close :
				   a.nr >= APART	       ? a.latest :
								 NULL;

	if (!a.covered && with) {
		state_join(syms, st, with, st->pc);
		if (st->bounds)
			st->bounds->joined++;
		a = visited_look(v, st, live);
	}
	return a.covered ? 0 : visited_keep(v, st);
}
