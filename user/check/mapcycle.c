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

/* Is the list one CPU's own? Other CPUs lock it only to give an element back. */
static bool is_local(const struct check_set *set, __u32 map, enum maplock lock)
{
	return lock == MAPLOCK_FREELIST ||
	       (lock == MAPLOCK_LRU && set->maps[map].flags & BPF_F_NO_COMMON_LRU);
}

/* A nest as a link from one node to another. Nests that are not searched have none. */
struct link {
	__u32 from, to;
	const struct mapnest *nest;
};

/**
 * struct search - a search through links
 * @links: @nr of them, sorted by the nodes that they come from
 * @before: for each link, 1 plus the number of the link that leads to it; @queue: links to follow
 */
struct search {
	const struct check_set *set;
	struct link *links;
	size_t nr;
	size_t *before, *queue;
	unsigned long looks;
};

static bool in_object(const struct check_set *set, const struct use *use, const char *object)
{
	const char *own = set->progs[use->at.prog].object;

	return !object || (own && !strcmp(own, object));
}

/* Is the map in a reported cycle? One is enough: after the fix the user checks again. */
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

static int link_compare(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->nest > y->nest) - (x->nest < y->nest);
}

/* Keep the first of several links between two nodes. */
static void links_sort(struct search *s)
{
	size_t nr = 0;

	qsort(s->links, s->nr, sizeof(*s->links), link_compare);
	for (size_t i = 0; i < s->nr; i++)
		if (!nr || s->links[nr - 1].from != s->links[i].from ||
		    s->links[nr - 1].to != s->links[i].to)
			s->links[nr++] = s->links[i];
	s->nr = nr;
}

/* The first link that comes from the node, or where it would be. */
static size_t links_from(const struct search *s, __u32 node)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->links[middle].from < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int search_begin(struct search *s, const struct maplocks *kernel,
			const struct mapnests *nests, const char *object)
{
	s->links = calloc(nests->nr + 1, sizeof(*s->links));
	s->before = calloc(nests->nr + 1, sizeof(*s->before));
	s->queue = calloc(nests->nr + 1, sizeof(*s->queue));
	if (!s->links || !s->before || !s->queue)
		return -ENOMEM;
	for (size_t i = 0; i < nests->nr; i++) {
		const struct mapnest *n = &nests->all[i];

		if (is_link(s->set, kernel, n, object))
			s->links[s->nr++] =
				(struct link){ node_of(s->set, n->map, n->lock),
					       node_of(s->set, n->inner->at.lock.map, n->wants),
					       n };
	}
	links_sort(s);
	return 0;
}

static void search_end(struct search *s)
{
	free(s->links);
	free(s->before);
	free(s->queue);
}

/* Store the cycle's nests, going back from its last link to its first. */
static int search_path(const struct search *s, size_t last, struct mapcycle *cycle)
{
	unsigned int nr = 1;

	for (size_t i = last; s->before[i] != i + 1; i = s->before[i] - 1)
		nr++;
	cycle->nests = calloc(nr, sizeof(cycle->nests[0]));
	if (!cycle->nests)
		return -ENOMEM;
	cycle->nr = nr;
	for (size_t i = last; nr; i = s->before[i] - 1)
		cycle->nests[--nr] = s->links[i].nest;
	return 0;
}

/*
 * Queue the links that come from the node that this one leads to. They are always queued together,
 * so it is enough to look at the first.
 */
static size_t search_further(struct search *s, size_t at, size_t tail)
{
	__u32 node = s->links[at].to;
	size_t i = links_from(s, node);

	if (i < s->nr && s->before[i])
		return tail;
	for (; i < s->nr && s->links[i].from == node; i++) {
		s->before[i] = at + 1;
		s->queue[tail++] = i;
	}
	return tail;
}

/* Breadth-first search through nodes above the first one only: each cycle has one lowest node. */
static int search_from(struct search *s, size_t first, struct mapcycle *cycle)
{
	__u32 start = s->links[first].from;
	size_t head = 0, tail = 0;
	int err = 0;

	s->before[first] = first + 1;
	s->queue[tail++] = first;
	while (!err && !cycle->nr && head < tail && s->looks < MAPCYCLE_LOOKS) {
		size_t at = s->queue[head++];

		s->looks++;
		if (s->links[at].to == start)
			err = search_path(s, at, cycle);
		else if (s->links[at].to > start)
			tail = search_further(s, at, tail);
	}
	while (tail)
		s->before[s->queue[--tail]] = 0;
	return err;
}

static bool cycle_is_told(const struct check_set *set, const struct mapcycles *cycles,
			  const struct mapcycle *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (is_told(set, cycles, c->nests[i]->map))
			return true;
	return false;
}

/* Add the cycle, or free it if one of its maps is in a reported cycle. */
static int cycle_add(const struct check_set *set, struct mapcycles *cycles, struct mapcycle *c)
{
	int err = 0;

	if (c->nr && !cycle_is_told(set, cycles, c)) {
		err = grow_append((void **)&cycles->all, &cycles->nr, c, sizeof(*c));
		if (!err)
			return 0;
	}
	free(c->nests);
	return err;
}

int mapcycle_find(const struct check_set *set, const struct maplocks *kernel,
		  const struct mapnests *nests, const char *object, struct mapcycles *cycles)
{
	struct search s = { .set = set };
	int err = search_begin(&s, kernel, nests, object);

	for (size_t i = 0; !err && i < s.nr && s.looks < MAPCYCLE_LOOKS; i++) {
		struct mapcycle cycle = { 0 };

		if (is_told(set, cycles, s.links[i].nest->map))
			continue;
		err = search_from(&s, i, &cycle) ?: cycle_add(set, cycles, &cycle);
	}
	cycles->spent |= s.looks >= MAPCYCLE_LOOKS;
	search_end(&s);
	return err;
}

void mapcycle_free(struct mapcycles *cycles)
{
	for (size_t i = 0; i < cycles->nr; i++)
		free(cycles->all[i].nests);
	free(cycles->all);
	*cycles = (struct mapcycles){ 0 };
}
