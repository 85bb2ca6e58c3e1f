// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/record.h"

/*
 * Edges that differ only by other held locks are kept apart up to this number. Then only the locks
 * that are held on all of the further ones count.
 */
#define GATES_APART 16

bool lock_equal(const struct lock *a, const struct lock *b)
{
	return a->kind == b->kind && a->map == b->map && a->type == b->type && a->prog == b->prog &&
	       a->off == b->off && a->sym == b->sym && !strcmp(a->key, b->key);
}

static bool site_equal(const struct site *a, const struct site *b)
{
	return a->prog == b->prog && a->pc == b->pc && a->irqs_off == b->irqs_off &&
	       a->run == b->run && lock_equal(&a->lock, &b->lock);
}

static bool has_choice(const struct edge *e, const struct choice *c)
{
	for (unsigned int i = 0; i < e->nr_choices; i++)
		if (e->choices[i].place == c->place && e->choices[i].number == c->number &&
		    e->choices[i].op == c->op && e->choices[i].above == c->above)
			return true;
	return false;
}

bool edge_choices_equal(const struct edge *a, const struct edge *b)
{
	if (a->nr_choices != b->nr_choices)
		return false;
	for (unsigned int i = 0; i < a->nr_choices; i++)
		if (!has_choice(b, &a->choices[i]))
			return false;
	return true;
}

static bool ends_equal(const struct edge *a, const struct edge *b)
{
	return site_equal(&a->from, &b->from) && site_equal(&a->to, &b->to) &&
	       a->order == b->order && a->differ == b->differ && edge_choices_equal(a, b);
}

static bool is_gate(const struct edge *e, const struct lock *lock)
{
	for (unsigned int i = 0; i < e->nr_gates; i++)
		if (lock_equal(&e->gates[i], lock))
			return true;
	return false;
}

/* Are the gates of one edge among those of the other? Then the one with fewer allows more. */
static bool gates_within(const struct edge *few, const struct edge *many)
{
	for (unsigned int i = 0; i < few->nr_gates; i++)
		if (!is_gate(many, &few->gates[i]))
			return false;
	return true;
}

static void gates_meet(struct edge *e, const struct edge *with)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < e->nr_gates; i++)
		if (is_gate(with, &e->gates[i]))
			e->gates[nr++] = e->gates[i];
	e->nr_gates = nr;
}

static __u32 site_hash(const struct site *site)
{
	return (site->prog * 31 + site->pc) * 0x9e3779b1U + site->lock.sym * 0x85ebca6bU;
}

static __u32 *site_bucket(struct record *r, const struct site *site)
{
	return &r->sites_at[(site_hash(site) >> 12) % RECORD_BUCKETS];
}

static __u32 *edge_bucket(struct record *r, const struct edge *e)
{
	__u32 hash = site_hash(&e->from) * 31 + site_hash(&e->to);

	return &r->edges_at[(hash >> 12) % RECORD_BUCKETS];
}

int record_site(struct record *r, const struct site *site)
{
	__u32 *bucket = site_bucket(r, site);
	struct site own = *site;
	int err;

	for (__u32 i = *bucket; i; i = r->sites[i - 1].next)
		if (site_equal(&r->sites[i - 1], site))
			return 0;
	own.next = *bucket;
	err = grow_append((void **)&r->sites, &r->nr_sites, &own, sizeof(own));
	if (!err)
		*bucket = r->nr_sites;
	return err;
}

static int append_edge(struct record *r, const struct edge *edge, __u32 *bucket)
{
	struct edge own = *edge;
	int err;

	own.next = *bucket;
	own.gates = calloc(edge->nr_gates + 1, sizeof(*own.gates));
	if (!own.gates)
		return -ENOMEM;
	for (unsigned int i = 0; i < edge->nr_gates; i++)
		own.gates[i] = edge->gates[i];
	err = grow_append((void **)&r->edges, &r->nr_edges, &own, sizeof(own));
	if (err)
		free(own.gates);
	else
		*bucket = r->nr_edges;
	return err;
}

int record_edge(struct record *r, const struct edge *edge)
{
	__u32 *bucket = edge_bucket(r, edge);
	struct edge *latest = NULL;
	unsigned int nr = 0;

	for (__u32 i = *bucket; i; i = r->edges[i - 1].next) {
		struct edge *e = &r->edges[i - 1];

		if (!ends_equal(e, edge))
			continue;
		if (gates_within(e, edge))
			return 0;
		if (!nr++)
			latest = e;
	}
	if (nr < GATES_APART)
		return append_edge(r, edge, bucket);
	gates_meet(latest, edge);
	return 0;
}

int record_act(struct record *r, const struct act *act)
{
	for (size_t i = 0; i < r->nr_acts; i++) {
		struct act *a = &r->acts[i];

		if (a->kind == act->kind && a->first.prog == act->first.prog &&
		    a->first.pc == act->first.pc && a->second.pc == act->second.pc) {
			a->loose &= act->loose;
			return 0;
		}
	}
	return grow_append((void **)&r->acts, &r->nr_acts, act, sizeof(*act));
}

static __u32 *use_bucket(struct record *r, const struct use *use)
{
	__u32 hash = site_hash(&use->at) + use->at.lock.map * 0x85ebca6bU;

	return &r->uses_at[(hash >> 12) % RECORD_BUCKETS];
}

/* One use per place, map and run: how the place is reached makes no other difference. */
int record_use(struct record *r, const struct use *use)
{
	__u32 *bucket = use_bucket(r, use);
	struct use own = *use;
	int err;

	for (__u32 i = *bucket; i; i = r->uses[i - 1].next) {
		const struct site *at = &r->uses[i - 1].at;

		if (at->prog == use->at.prog && at->pc == use->at.pc && at->run == use->at.run &&
		    at->lock.map == use->at.lock.map)
			return 0;
	}
	own.next = *bucket;
	err = grow_append((void **)&r->uses, &r->nr_uses, &own, sizeof(own));
	if (!err)
		*bucket = r->nr_uses;
	return err;
}

void record_free(struct record *r)
{
	for (size_t i = 0; i < r->nr_edges; i++)
		free(r->edges[i].gates);
	free(r->sites);
	free(r->edges);
	free(r->acts);
	free(r->uses);
	memset(r, 0, sizeof(*r));
}
