// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/mapcycle.h"

/* Each lock class of a map is a node. */
static __u32 node_of(const struct check_set *set, __u32 map, enum maplock lock)
{
	__u32 first = 0;

	while (!check_same_map(&set->maps[first], &set->maps[map]))
		first++;
	return first * MAPLOCK_NR + lock;
}

/* Other CPUs take such a list only to give an element back. */
static bool is_local(const struct check_set *set, __u32 map, enum maplock lock)
{
	return lock == MAPLOCK_FREELIST ||
	       (lock == MAPLOCK_LRU && set->maps[map].flags & BPF_F_NO_COMMON_LRU);
}

/* from, to: nodes; only where the nest is part of what is searched. */
struct link {
	__u32 from, to;
	const struct mapnest *nest;
};

/**
 * struct search - one that goes through links
 * @before: the link by which each was reached, and 1; @queue: those to go on from
 */
struct search {
	const struct check_set *set;
	struct link *links;
	size_t nr;
	size_t *before, *queue;
};

static bool in_object(const struct check_set *set, const struct use *use, const char *object)
{
	const char *own = set->progs[use->at.prog].object;

	return !object || (own && !strcmp(own, object));
}

/* A map is told of once: whoever mends that circle looks again. */
static bool is_told(const struct check_set *set, const struct mapcycles *cycles, __u32 map)
{
	for (size_t i = 0; i < cycles->nr; i++)
		for (unsigned int k = 0; k < cycles->all[i].nr; k++)
			if (check_same_map(&set->maps[cycles->all[i].nests[k]->map],
					   &set->maps[map]))
				return true;
	return false;
}

static bool is_link(const struct check_set *set, const struct maplocks *kernel,
		    const struct mapnest *n, const char *object)
{
	return n->outer && in_object(set, n->outer, object) && in_object(set, n->inner, object) &&
	       !mapnest_is_own(set, n) && !mapnest_tries(kernel, n) &&
	       mapnest_returns(set, kernel, n) && !is_local(set, n->map, n->lock) &&
	       !is_local(set, n->inner->at.lock.map, n->wants);
}

/* Of several between two nodes the first will do. */
static void link_add(struct search *s, const struct mapnest *n)
{
	struct link link = { .from = node_of(s->set, n->map, n->lock),
			     .to = node_of(s->set, n->inner->at.lock.map, n->wants),
			     .nest = n };

	for (size_t i = 0; i < s->nr; i++)
		if (s->links[i].from == link.from && s->links[i].to == link.to)
			return;
	s->links[s->nr++] = link;
}

static int search_begin(struct search *s, const struct maplocks *kernel,
			const struct mapnests *nests, const char *object)
{
	s->links = calloc(nests->nr + 1, sizeof(*s->links));
	s->before = calloc(nests->nr + 1, sizeof(*s->before));
	s->queue = calloc(nests->nr + 1, sizeof(*s->queue));
	if (!s->links || !s->before || !s->queue)
		return -ENOMEM;
	for (size_t i = 0; i < nests->nr; i++)
		if (is_link(s->set, kernel, &nests->all[i], object))
			link_add(s, &nests->all[i]);
	return 0;
}

static void search_end(struct search *s)
{
	free(s->links);
	free(s->before);
	free(s->queue);
}

/* The way back, from the last to the first. */
static void search_path(const struct search *s, size_t last, struct mapcycle *cycle)
{
	size_t nr = 1;

	for (size_t i = last; s->before[i] != i + 1; i = s->before[i] - 1)
		nr++;
	cycle->nr = nr <= MAPCYCLE_MAX ? nr : 0;
	for (size_t i = last; cycle->nr && nr; i = s->before[i] - 1)
		cycle->nests[--nr] = s->links[i].nest;
}

/* Breadth first, through nodes above the first one alone: each circle has one lowest node. */
static bool search_from(struct search *s, size_t first, struct mapcycle *cycle)
{
	__u32 start = s->links[first].from;
	size_t head = 0, tail = 0;

	memset(s->before, 0, s->nr * sizeof(*s->before));
	s->before[first] = first + 1;
	s->queue[tail++] = first;
	while (head < tail) {
		size_t at = s->queue[head++];
		__u32 node = s->links[at].to;

		if (node == start) {
			search_path(s, at, cycle);
			return cycle->nr;
		}
		for (size_t i = 0; node > start && i < s->nr; i++) {
			if (s->before[i] || s->links[i].from != node)
				continue;
			s->before[i] = at + 1;
			s->queue[tail++] = i;
		}
	}
	return false;
}

static bool cycle_is_told(const struct check_set *set, const struct mapcycles *cycles,
			  const struct mapcycle *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (is_told(set, cycles, c->nests[i]->map))
			return true;
	return false;
}

int mapcycle_find(const struct check_set *set, const struct maplocks *kernel,
		  const struct mapnests *nests, const char *object, struct mapcycles *cycles)
{
	struct search s = { .set = set };
	int err = search_begin(&s, kernel, nests, object);

	for (size_t i = 0; !err && i < s.nr; i++) {
		struct mapcycle cycle = { 0 };

		if (is_told(set, cycles, s.links[i].nest->map) || !search_from(&s, i, &cycle) ||
		    cycle_is_told(set, cycles, &cycle))
			continue;
		err = grow_append((void **)&cycles->all, &cycles->nr, &cycle, sizeof(cycle));
	}
	search_end(&s);
	return err;
}
