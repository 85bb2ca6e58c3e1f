// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/maphooks.h"
#include "check/mapnest.h"
#include "check/mapops.h"
#include "errors/table.h"

#define BUCKETS 4096

/* at: for each hash, 1 plus the number of the latest nest, whose next is the one before it. */
struct collector {
	const struct check_set *set;
	const struct maplocks *kernel;
	struct mapnests *nests;
	__u32 *at;
};

static const struct check_map *map_of_use(const struct check_set *set, const struct use *use)
{
	return &set->maps[use->at.lock.map];
}

bool mapnest_is_own(const struct check_set *set, const struct mapnest *n)
{
	return check_same_map(&set->maps[n->map], map_of_use(set, n->inner));
}

const char *mapnest_returns(const struct check_set *set, const struct maplocks *kernel,
			    const struct mapnest *n)
{
	const struct map_error *e;

	if (kernel->kinds[n->wants] == MAPLOCK_UNKNOWN)
		return NULL;
	e = map_error_nested(mapop_type(map_of_use(set, n->inner)), n->inner->op, n->wants);
	return e ? e->returns[kernel->kinds[n->wants]] : NULL;
}

bool mapnest_tries(const struct maplocks *kernel, const struct mapnest *n)
{
	return n->nmi && kernel->kinds[n->wants] == MAPLOCK_PLAIN &&
	       (n->wants == MAPLOCK_QUEUE || n->wants == MAPLOCK_RINGBUF ||
		n->wants == MAPLOCK_FREELIST);
}

/*
 * A plain bucket has a guard in front that lets each CPU in once. An operation that cannot lock its
 * free list takes the next CPU's list.
 */
enum fate mapnest_fate(const struct check_set *set, const struct maplocks *kernel,
		       const struct mapnest *n)
{
	const char *text = mapnest_returns(set, kernel, n);

	if (!text)
		return FATE_NONE;
	if (n->wants != MAPLOCK_BUCKET && strstr(text, "hang") && !mapnest_tries(kernel, n))
		return FATE_HANGS;
	return n->wants != MAPLOCK_FREELIST && strchr(text, '`') ? FATE_FAILS : FATE_NONE;
}

static bool nest_equal(const struct mapnest *a, const struct mapnest *b)
{
	return a->map == b->map && a->lock == b->lock && a->wants == b->wants &&
	       a->inner->at.lock.map == b->inner->at.lock.map &&
	       a->inner->at.prog == b->inner->at.prog && !a->outer == !b->outer &&
	       (!a->outer || a->outer->at.prog == b->outer->at.prog) &&
	       !strcmp(a->inner->op, b->inner->op);
}

static __u32 *nest_bucket(const struct collector *c, const struct mapnest *n)
{
	__u32 hash = n->map * MAPLOCK_NR + n->lock;

	hash = (hash * 31 + n->inner->at.lock.map) * MAPLOCK_NR + n->wants;
	hash = hash * 31 + n->inner->at.prog;
	hash = hash * 31 + (n->outer ? n->outer->at.prog + 1 : 0);
	return &c->at[(hash * 0x9e3779b1U >> 12) % BUCKETS];
}

/* Add the first place of each program: further ones show nothing new. */
static int nest_add(const struct collector *c, const struct mapnest *n)
{
	__u32 *bucket = nest_bucket(c, n);
	struct mapnest own = *n;
	int err;

	for (__u32 i = *bucket; i; i = c->nests->all[i - 1].next)
		if (nest_equal(&c->nests->all[i - 1], n))
			return 0;
	own.next = *bucket;
	err = grow_append((void **)&c->nests->all, &c->nests->nr, &own, sizeof(own));
	if (!err)
		*bucket = c->nests->nr;
	return err;
}

static int collect_locks(const struct collector *c, struct mapnest *n, unsigned int held)
{
	unsigned int wanted = mapop_locks(map_of_use(c->set, n->inner), n->inner->op);
	bool own = mapnest_is_own(c->set, n);
	int err = 0;

	for (int lock = MAPLOCK_NONE + 1; !err && lock < MAPLOCK_NR; lock++)
		for (int wants = MAPLOCK_NONE + 1; !err && wants < MAPLOCK_NR; wants++) {
			if (!(held & 1U << lock) || !(wanted & 1U << wants) ||
			    (own && lock != wants))
				continue;
			n->lock = lock;
			n->wants = wants;
			err = nest_add(c, n);
		}
	return err;
}

static int collect_pair(const struct collector *c, const struct use *outer, const struct use *inner)
{
	struct ontop on = maphook_find(c->set, c->kernel, outer, inner);
	struct mapnest n = { .outer = outer,
			     .inner = inner,
			     .map = outer->at.lock.map,
			     .nmi = on.nmi,
			     .own = on.own };

	return on.locks ? collect_locks(c, &n, on.locks) : 0;
}

/* User space may be below, with the same operation on the same map. */
static int collect_user(const struct collector *c, const struct use *inner)
{
	__u32 map = inner->at.lock.map;
	struct ontop on = maphook_find_user(c->set, c->kernel, map, inner->op, inner);
	struct mapnest n = { .inner = inner, .map = map, .nmi = on.nmi, .own = on.own };

	if (!on.locks || !mapop_of_user_space(&c->set->maps[map]))
		return 0;
	return collect_locks(c, &n, on.locks);
}

int mapnest_collect(const struct check_set *set, const struct maplocks *kernel,
		    const struct record *record, struct mapnests *nests)
{
	struct collector c = { set, kernel, nests, calloc(BUCKETS, sizeof(__u32)) };
	int err = c.at ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < record->nr_uses; i++) {
		const struct use *inner = &record->uses[i];

		if (!maphook_is_any(set, inner))
			continue;
		for (size_t k = 0; !err && k < record->nr_uses; k++)
			err = collect_pair(&c, &record->uses[k], inner);
		err = err ?: collect_user(&c, inner);
	}
	free(c.at);
	return err;
}

void mapnest_free(struct mapnests *nests)
{
	free(nests->all);
	*nests = (struct mapnests){ 0 };
}
