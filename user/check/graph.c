// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "check/facts.h"
#include "check/graph.h"
#include "check/order.h"

#define LOOKS_MAX 2000000 /* edges looked at in one search, at most */

struct search {
	const struct check_set *set;
	const struct edge **edges; /* those that may be part of a cycle */
	size_t nr_edges, nr_firsts;
	struct cycles *cycles;
	const struct edge **path;   /* room for each edge once */
	unsigned int depth, length; /* only cycles of this length are looked for now */
	size_t first;		    /* each cycle is found from its first edge only */
	unsigned long looks;
	bool longer; /* there may be longer cycles */
	bool nomem;
};

bool locks_meet(const struct check_set *set, const struct lock *a, const struct lock *b,
		bool *certain)
{
	*certain = false;
	if (a->kind != LOCK_MAP || b->kind != LOCK_MAP || a->off != b->off ||
	    !check_same_map(&set->maps[a->map], &set->maps[b->map]))
		return false;
	*certain = *a->key && !strcmp(a->key, b->key);
	return *certain || !*a->key || !*b->key;
}

/* Does the edge lead from any element of a map to any later one in an order? It stands for many. */
static bool is_ordered(const struct search *s, const struct edge *e)
{
	bool certain;

	return e->order && locks_meet(s->set, &e->from.lock, &e->to.lock, &certain) && !certain;
}

static bool key_read(const struct lock *l, __u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(l->key, &end, 10);
	return *l->key && !*end && !errno;
}

/* Can an edge with that order lead from one element to the other? */
static bool graph_passes(const struct search *s, const struct lock *from, const struct lock *to,
			 unsigned int order)
{
	__u32 size = s->set->maps[from->map].key_size;
	__u64 x, y;

	if (!*from->key || !*to->key || !strcmp(from->key, to->key))
		return false;
	/* Longer keys are not printed as numbers. */
	if ((size != 4 && size != 8) || !key_read(from, &x) || !key_read(to, &y))
		return true;
	return !(order & ~order_of_numbers(size, x, y) & ORDER_KEYS);
}

/*
 * Does the last edge of the path want the lock that this edge holds? An edge that stands for many
 * connects only known elements: other elements meet without it.
 */
static bool leads_to(const struct search *s, const struct edge *e)
{
	const struct edge *last = s->path[s->depth - 1];
	bool certain;

	if (!locks_meet(s->set, &last->to.lock, &e->from.lock, &certain))
		return false;
	if (is_ordered(s, e))
		return *last->to.lock.key && !is_ordered(s, last);
	if (is_ordered(s, last))
		return s->depth > 1 &&
		       graph_passes(s, &s->path[s->depth - 2]->to.lock, &e->from.lock, last->order);
	return true;
}

/* Is one lock held on every edge? Then the edges can only happen one after the other. */
static bool cycle_is_gated(const struct search *s)
{
	const struct edge *first = s->path[0];
	bool certain;

	for (unsigned int g = 0; g < first->nr_gates; g++) {
		unsigned int i, j;

		for (i = 1; i < s->depth; i++) {
			const struct edge *e = s->path[i];

			for (j = 0; j < e->nr_gates; j++)
				if (locks_meet(s->set, &first->gates[g], &e->gates[j], &certain) &&
				    certain)
					break;
			if (j == e->nr_gates)
				break;
		}
		if (i == s->depth)
			return true;
	}
	return false;
}

/* Do all edges rise in one order? Neither addresses nor keys can rise all the way round a cycle. */
static bool cycle_is_rising(const struct search *s)
{
	unsigned int order = ~0U;

	for (unsigned int i = 0; i < s->depth; i++)
		order &= s->path[i]->order;
	return order;
}

static bool same_lock(const struct search *s, const struct lock *a, const struct lock *b)
{
	return a->kind == b->kind && a->off == b->off && !strcmp(a->key, b->key) &&
	       check_same_map(&s->set->maps[a->map], &s->set->maps[b->map]);
}

/* The same locks in the same order, wherever the cycle begins? */
static bool same_cycle(const struct search *s, const struct cycle *c)
{
	if (c->nr != s->depth)
		return false;
	for (unsigned int shift = 0; shift < c->nr; shift++) {
		unsigned int i = 0;

		while (i < c->nr && same_lock(s, &c->edges[(i + shift) % c->nr]->from.lock,
					      &s->path[i]->from.lock))
			i++;
		if (i == c->nr)
			return true;
	}
	return false;
}

static bool is_new(const struct search *s)
{
	for (size_t i = 0; i < s->cycles->nr; i++)
		if (same_cycle(s, &s->cycles->all[i]))
			return false;
	return true;
}

static bool depends_on_keys(const struct search *s, const struct cycle *c)
{
	bool certain, keys = false;

	for (unsigned int i = 0; i < c->nr; i++) {
		locks_meet(s->set, &c->edges[i]->to.lock, &c->edges[(i + 1) % c->nr]->from.lock,
			   &certain);
		keys |= !certain;
	}
	return keys;
}

/* Two orders of one sort of lock are reported as such, by judge_orders(). */
static bool is_of_orders(const struct search *s)
{
	const struct lock *first = &s->path[0]->from.lock;
	bool ordered = false;

	for (unsigned int i = 0; i < s->depth; i++) {
		const struct lock *l = &s->path[i]->from.lock;

		if (l->off != first->off ||
		    !check_same_map(&s->set->maps[l->map], &s->set->maps[first->map]))
			return false;
		ordered |= is_ordered(s, s->path[i]);
	}
	return ordered;
}

static void graph_found(struct search *s)
{
	struct cycle *c;

	if (cycle_is_gated(s) || cycle_is_rising(s) || is_of_orders(s) || !is_new(s))
		return;
	if (s->cycles->nr == CYCLES_MAX) {
		s->cycles->more = true;
		return;
	}
	c = &s->cycles->all[s->cycles->nr];
	c->nr = s->depth;
	c->edges = calloc(s->depth, sizeof(c->edges[0]));
	if (!c->edges) {
		s->nomem = true;
		return;
	}
	memcpy(c->edges, s->path, s->depth * sizeof(c->edges[0]));
	c->keys = depends_on_keys(s, c);
	s->cycles->nr++;
}

/* Can both conditions hold for one value? They are compared only if at least one is an equality. */
static bool choices_agree(const struct choice *a, const struct choice *b)
{
	if (a->place != b->place || a->op != BPF_JEQ)
		return a->place != b->place || b->op != BPF_JEQ || choices_agree(b, a);
	return b->above ? fact_compare(b->op, a->number, b->number) :
			  fact_compare(b->op, b->number, a->number);
}

/* All programs run with the same constants. */
bool edges_agree(const struct edge *a, const struct edge *b)
{
	for (unsigned int i = 0; i < a->nr_choices; i++)
		for (unsigned int j = 0; j < b->nr_choices; j++)
			if (!choices_agree(&a->choices[i], &b->choices[j]))
				return false;
	return true;
}

/* Can the edge extend the path? It must hold a lock that no other edge of the path holds. */
static bool may_join(const struct search *s, const struct edge *e)
{
	bool many = is_ordered(s, e);

	for (unsigned int i = 0; i < s->depth; i++) {
		bool certain,
			meet = locks_meet(s->set, &s->path[i]->from.lock, &e->from.lock, &certain);

		if (s->path[i] == e || !edges_agree(s->path[i], e) ||
		    (meet && (certain || !(many || is_ordered(s, s->path[i])))))
			return false;
	}
	return true;
}

static void path_extend(struct search *s)
{
	if (s->depth > 1 && leads_to(s, s->path[0])) {
		if (s->depth == s->length)
			graph_found(s);
		return;
	}
	for (size_t i = s->first; i < s->nr_edges && s->looks < LOOKS_MAX; i++) {
		const struct edge *e = s->edges[i];

		s->looks++;
		if (!leads_to(s, e) || !may_join(s, e))
			continue;
		if (s->depth == s->length) {
			s->longer = true;
			return;
		}
		s->path[s->depth++] = e;
		path_extend(s);
		s->depth--;
	}
}

/* Search for cycles of one length: long ones must not use up the time for short ones. */
static bool look_for(struct search *s, unsigned int length)
{
	s->length = length;
	s->longer = false;
	for (s->first = 0; s->first < s->nr_firsts; s->first++) {
		s->path[0] = s->edges[s->first];
		s->depth = 1;
		path_extend(s);
	}
	if (s->looks >= LOOKS_MAX)
		s->cycles->length = length;
	return s->longer && !s->cycles->length && !s->cycles->more && !s->nomem;
}

static bool goes_on(const struct search *s, const struct edge *e)
{
	bool certain, before = false, after = false;

	for (size_t i = 0; i < s->nr_edges; i++) {
		if (s->edges[i] == e)
			continue;
		before |= locks_meet(s->set, &s->edges[i]->to.lock, &e->from.lock, &certain);
		after |= locks_meet(s->set, &e->to.lock, &s->edges[i]->from.lock, &certain);
	}
	return before && after;
}

/* Remove edges that nothing leads to, or that lead to nothing, until none is left. */
static void edges_peel(struct search *s)
{
	size_t before;

	do {
		before = s->nr_edges;
		for (size_t i = s->nr_edges; i-- > 0;)
			if (!goes_on(s, s->edges[i]))
				s->edges[i] = s->edges[--s->nr_edges];
	} while (s->nr_edges < before);
}

/* Does a known edge between the same locks, of the same program, allow as much as this one? */
static bool edge_is_redundant(const struct search *s, const struct edge *e)
{
	for (size_t i = 0; i < s->nr_edges; i++) {
		const struct edge *other = s->edges[i];

		if (same_lock(s, &other->from.lock, &e->from.lock) &&
		    same_lock(s, &other->to.lock, &e->to.lock) && other->order == e->order &&
		    !other->nr_gates && other->from.prog == e->from.prog &&
		    (!other->nr_choices || edge_choices_equal(other, e)))
			return true;
	}
	return false;
}

static int by_place(const void *a, const void *b)
{
	const struct edge *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ordered edges come last, as no cycle begins with one. */
static void put_ordered_last(struct search *s)
{
	const struct edge **others = s->path; /* has room for all, and no path is in it yet */
	size_t nr = 0, nr_others = 0;

	for (size_t i = 0; i < s->nr_edges; i++)
		if (is_ordered(s, s->edges[i]))
			others[nr_others++] = s->edges[i];
		else
			s->edges[nr++] = s->edges[i];
	memcpy(s->edges + nr, others, nr_others * sizeof(others[0]));
	s->nr_firsts = nr;
}

static void edges_collect(struct search *s, const struct record *record)
{
	for (size_t i = 0; i < record->nr_edges; i++) {
		const struct edge *e = &record->edges[i];
		bool certain;

		/* Locks that may be one, and are in no order, are left to judge_unknown(). */
		if (e->from.lock.kind == LOCK_MAP && e->to.lock.kind == LOCK_MAP &&
		    (is_ordered(s, e) ||
		     !locks_meet(s->set, &e->from.lock, &e->to.lock, &certain)) &&
		    !edge_is_redundant(s, e))
			s->edges[s->nr_edges++] = e;
	}
	edges_peel(s);
	qsort(s->edges, s->nr_edges, sizeof(s->edges[0]), by_place);
	put_ordered_last(s);
}

int graph_cycles(const struct check_set *set, const struct record *record, struct cycles *cycles)
{
	struct search s = { .set = set, .cycles = cycles };
	unsigned int length = 2;

	memset(cycles, 0, sizeof(*cycles));
	s.edges = calloc(record->nr_edges + 1, sizeof(s.edges[0]));
	s.path = calloc(record->nr_edges + 1, sizeof(s.path[0]));
	if (s.edges && s.path) {
		edges_collect(&s, record);
		while (look_for(&s, length))
			length++;
	} else {
		s.nomem = true;
	}
	free(s.edges);
	free(s.path);
	return s.nomem ? -ENOMEM : 0;
}

void cycles_free(struct cycles *cycles)
{
	for (size_t i = 0; i < cycles->nr; i++)
		free(cycles->all[i].edges);
	cycles->nr = 0;
}
