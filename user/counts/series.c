// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "counts/series.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"

#define RECENT 256 /* a power of two */
#define NONE   SERIES_NONE

#define KEY_SIZE offsetof(struct series, seen)

/* Naming a lock may take system calls: failures that are alike in one poll need them once. */
struct recent {
	__u64 lock;
	__u32 prog_id, kind;
	size_t series; /* index + 1; 0: the place is free */
};

/*
 * @losses: by the first of lost failures that are alike, the number of its series + 1, which has
 * the names of that time
 */
struct series_table {
	struct groups groups, losses;
	size_t max, named;
	bool full;
	struct recent recent[RECENT];
};

struct series_table *series_new(size_t max)
{
	struct series_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->groups.size = sizeof(struct series);
	t->losses.size = sizeof(size_t);
	t->max = max;
	return t;
}

void series_free(struct series_table *t)
{
	if (!t)
		return;
	groups_clear(&t->groups);
	groups_clear(&t->losses);
	free(t);
}

static bool has_name(const struct series *s)
{
	return s->prog[0] || s->lock[0];
}

/* The names of a series too many are left out. */
static size_t find_or_add(struct series_table *t, struct series *key)
{
	struct series *s = groups_find(&t->groups, key, KEY_SIZE);
	bool added = false;

	if (!s && has_name(key) && t->named >= t->max) {
		*key = (struct series){ .kind = key->kind };
		t->full = true;
	}
	if (!s)
		s = groups_get(&t->groups, key, KEY_SIZE, &added);
	if (!s)
		return NONE;
	if (added) {
		*s = *key;
		t->named += has_name(key);
	}
	return s - (struct series *)t->groups.rows;
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
	groups_pad(key.lock, sizeof(key.lock));
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

static struct series *series_row(const struct series_table *t, size_t i)
{
	return groups_at(&t->groups, i);
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
	series_row(t, i)->seen++;
	add_wait(series_row(t, i), f->ev.wait_ns);
	return i;
}

void series_forget_addresses(struct series_table *t)
{
	memset(t->recent, 0, sizeof(t->recent));
}

static size_t series_of_loss(struct series_table *t, const struct failure *like,
			     struct locknames *names)
{
	size_t *loss = groups_get(&t->losses, &like, sizeof(like), NULL);
	struct series key = { .kind = RQSPIN_UNKNOWN };
	size_t i;

	if (!loss)
		return NONE;
	if (*loss)
		return *loss - 1;
	i = like ? series_of(t, like, names) : find_or_add(t, &key);
	*loss = i == NONE ? 0 : i + 1;
	return i;
}

bool series_lost(struct series_table *t, const struct failure *like, __u64 nr,
		 struct locknames *names)
{
	size_t i = series_of_loss(t, like, names);

	if (i == NONE)
		return false;
	series_row(t, i)->lost += nr;
	return true;
}

void series_begin_losses(struct series_table *t)
{
	for (size_t i = 0; i < t->groups.nr; i++)
		series_row(t, i)->lost = 0;
}

/* @lost goes down when another source turns out to have the failure: then @seen goes up. */
void series_settle(struct series_table *t)
{
	for (size_t i = 0; i < t->groups.nr; i++) {
		struct series *s = series_row(t, i);

		if (s->total < s->seen + s->lost)
			s->total = s->seen + s->lost;
	}
}

size_t series_nr(const struct series_table *t)
{
	return t->groups.nr;
}

const struct series *series_at(const struct series_table *t, size_t i)
{
	return series_row(t, i);
}

bool series_full(const struct series_table *t)
{
	return t->full;
}
