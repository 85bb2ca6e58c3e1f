// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts/series.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"

#define RECENT 256 /* a power of two */
#define NONE   SERIES_NONE

/* Naming a lock may take system calls: failures that are alike in one poll need them once. */
struct recent {
	__u64 lock;
	__u32 prog_id, kind;
	size_t series; /* index + 1; 0: the place is free */
};

/* The first of lost failures that are alike; its series has the names of that time. */
struct loss {
	const struct failure *like;
	size_t series;
};

struct series_table {
	struct series *rows;
	size_t nr, room, max, named;
	bool full;
	struct recent recent[RECENT];
	struct loss *losses;
	size_t nr_losses;
};

struct series_table *series_new(size_t max)
{
	struct series_table *t = calloc(1, sizeof(*t));

	if (t)
		t->max = max;
	return t;
}

void series_free(struct series_table *t)
{
	if (!t)
		return;
	free(t->rows);
	free(t->losses);
	free(t);
}

static size_t series_find(const struct series_table *t, const struct series *key)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct series *s = &t->rows[i];

		if (s->kind == key->kind && !strcmp(s->prog, key->prog) &&
		    !strcmp(s->lock, key->lock))
			return i;
	}
	return NONE;
}

static size_t series_add(struct series_table *t, const struct series *key)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct series *rows = reallocarray(t->rows, room, sizeof(*rows));

		if (!rows)
			return NONE;
		t->rows = rows;
		t->room = room;
	}
	t->rows[t->nr] = *key;
	return t->nr++;
}

static bool has_name(const struct series *s)
{
	return s->prog[0] || s->lock[0];
}

static size_t find_or_add(struct series_table *t, struct series *key)
{
	size_t i = series_find(t, key);

	if (i == NONE && has_name(key)) {
		t->full |= t->named >= t->max;
		if (t->full)
			key->prog[0] = key->lock[0] = 0;
		else
			t->named++;
		i = series_find(t, key);
	}
	return i == NONE ? series_add(t, key) : i;
}

static void name_lock(struct series *key, const struct failure *f, struct locknames *names)
{
	struct lockname name;

	if (locknames_find_inside(names, f->ev.lock, f->ev.ts_ns, f->prog, f->map_id, &name) ||
	    name.path[0])
		lockname_text(&name, true, key->lock, sizeof(key->lock));
	else if (!f->ev.lock && f->map_id)
		snprintf(key->lock, sizeof(key->lock), "a lock of map %u", f->map_id);
}

static size_t series_of(struct series_table *t, const struct failure *f, struct locknames *names)
{
	struct series key = { .kind = f->ev.kind };

	snprintf(key.prog, sizeof(key.prog), "%s", f->prog ? f->prog->full_name : f->ev.prog);
	name_lock(&key, f, names);
	return find_or_add(t, &key);
}

static struct recent *recent_place(struct series_table *t, const struct failure *f)
{
	__u64 hash = (f->ev.lock ^ f->map_id) * 0x9e3779b97f4a7c15ULL;

	hash ^= f->prog_id * 31 + f->ev.kind;
	return &t->recent[(hash >> 56 ^ hash) & (RECENT - 1)];
}

/* Failures without ids can be compared by their names only. */
static bool is_recent(const struct recent *r, const struct failure *f)
{
	return r->series && f->prog_id && f->ev.lock && r->prog_id == f->prog_id &&
	       r->lock == f->ev.lock && r->kind == f->ev.kind;
}

static void add_wait(struct series *s, __u64 ns)
{
	if (ns == WAIT_UNKNOWN)
		return;
	s->waited++;
	s->wait_ns += ns;
	if (s->wait_max_ns < ns)
		s->wait_max_ns = ns;
}

size_t series_seen(struct series_table *t, const struct failure *f, struct locknames *names)
{
	struct recent *r = recent_place(t, f);
	size_t i = is_recent(r, f) ? r->series - 1 : series_of(t, f, names);

	if (i == NONE)
		return NONE;
	*r = (struct recent){ f->ev.lock, f->prog_id, f->ev.kind, i + 1 };
	t->rows[i].seen++;
	add_wait(&t->rows[i], f->ev.wait_ns);
	return i;
}

void series_forget_addresses(struct series_table *t)
{
	memset(t->recent, 0, sizeof(t->recent));
}

static size_t series_of_loss(struct series_table *t, const struct failure *like,
			     struct locknames *names)
{
	struct series key = { .kind = RQSPIN_UNKNOWN };
	struct loss *losses;
	size_t i;

	for (i = 0; i < t->nr_losses; i++)
		if (t->losses[i].like == like)
			return t->losses[i].series;
	losses = reallocarray(t->losses, t->nr_losses + 1, sizeof(*losses));
	if (!losses)
		return NONE;
	t->losses = losses;
	i = like ? series_of(t, like, names) : find_or_add(t, &key);
	if (i != NONE)
		losses[t->nr_losses++] = (struct loss){ like, i };
	return i;
}

bool series_lost(struct series_table *t, const struct failure *like, __u64 nr,
		 struct locknames *names)
{
	size_t i = series_of_loss(t, like, names);

	if (i == NONE)
		return false;
	t->rows[i].lost += nr;
	return true;
}

void series_begin_losses(struct series_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		t->rows[i].lost = 0;
}

/* @lost goes down when another source turns out to have the failure: then @seen goes up. */
void series_settle(struct series_table *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		struct series *s = &t->rows[i];

		if (s->total < s->seen + s->lost)
			s->total = s->seen + s->lost;
	}
}

size_t series_nr(const struct series_table *t)
{
	return t->nr;
}

const struct series *series_at(const struct series_table *t, size_t i)
{
	return &t->rows[i];
}

bool series_full(const struct series_table *t)
{
	return t->full;
}
