// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/record.h"

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

static bool edge_equal(const struct edge *a, const struct edge *b)
{
	if (!site_equal(&a->from, &b->from) || !site_equal(&a->to, &b->to) ||
	    a->order != b->order || a->nr_gates != b->nr_gates || !edge_choices_equal(a, b))
		return false;
	for (unsigned int i = 0; i < a->nr_gates; i++)
		if (!lock_equal(&a->gates[i], &b->gates[i]))
			return false;
	return true;
}

int record_site(struct record *r, const struct site *site)
{
	for (size_t i = 0; i < r->nr_sites; i++)
		if (site_equal(&r->sites[i], site))
			return 0;
	return grow_append((void **)&r->sites, &r->nr_sites, site, sizeof(*site));
}

static int append_edge(struct record *r, const struct edge *edge)
{
	struct edge own = *edge;
	int err;

	own.gates = calloc(edge->nr_gates + 1, sizeof(*own.gates));
	if (!own.gates)
		return -ENOMEM;
	for (unsigned int i = 0; i < edge->nr_gates; i++)
		own.gates[i] = edge->gates[i];
	err = grow_append((void **)&r->edges, &r->nr_edges, &own, sizeof(own));
	if (err)
		free(own.gates);
	return err;
}

int record_edge(struct record *r, const struct edge *edge)
{
	for (size_t i = 0; i < r->nr_edges; i++)
		if (edge_equal(&r->edges[i], edge))
			return 0;
	return append_edge(r, edge);
}

int record_act(struct record *r, const struct act *act)
{
	for (size_t i = 0; i < r->nr_acts; i++) {
		const struct act *a = &r->acts[i];

		if (a->kind == act->kind && a->first.prog == act->first.prog &&
		    a->first.pc == act->first.pc && a->second.pc == act->second.pc)
			return 0;
	}
	return grow_append((void **)&r->acts, &r->nr_acts, act, sizeof(*act));
}

void record_free(struct record *r)
{
	for (size_t i = 0; i < r->nr_edges; i++)
		free(r->edges[i].gates);
	free(r->sites);
	free(r->edges);
	free(r->acts);
	memset(r, 0, sizeof(*r));
}
