// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cost of an access. Each line has a directory that serves one request at a time: a read keeps
 * it busy for its occupancy (the c of Boyd-Wickizer et al.), a write until the line has moved. So
 * the next write is delayed if many CPUs read the line again after a write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/line.h"

enum distance { HIT, CORE, LOCAL, REMOTE };

void line_init(struct sim_line *l, struct sim *s, int owner)
{
	memset(l, 0, sizeof(*l));
	l->sim = s;
	l->owner = owner;
	l->has[owner / 64] = 1ULL << (owner % 64);
	l->holders = 1;
	l->in[s->cpu[owner].place.socket] = 1;
}

void line_free(struct sim_line *l)
{
	free(l->watcher);
}

bool line_has(const struct sim_line *l, int cpu)
{
	return l->has[cpu / 64] >> (cpu % 64) & 1;
}

static void line_take(struct sim_line *l, const struct sim_cpu *c)
{
	l->has[c->id / 64] |= 1ULL << (c->id % 64);
	l->holders++;
	l->in[c->place.socket]++;
}

static void take_alone(struct sim_line *l, const struct sim_cpu *c)
{
	memset(l->has, 0, sizeof(l->has));
	memset(l->in, 0, sizeof(l->in));
	l->holders = 0;
	line_take(l, c);
	l->owner = c->id;
}

/* Number of other CPUs of the core of @c that have the line. */
static int nr_siblings(const struct sim_line *l, const struct sim_cpu *c)
{
	int step = l->sim->topo.sockets * l->sim->topo.cores, n = 0;

	for (int i = c->id % step; i < l->sim->ncpus; i += step)
		n += i != c->id && line_has(l, i);
	return n;
}

static enum distance read_distance(const struct sim_line *l, const struct sim_cpu *c)
{
	if (line_has(l, c->id))
		return HIT;
	if (l->sim->topo.smt > 1 && nr_siblings(l, c))
		return CORE;
	return l->in[c->place.socket] ? LOCAL : REMOTE;
}

/* The distance of the farthest copy. */
static enum distance write_distance(const struct sim_line *l, const struct sim_cpu *c)
{
	int others = l->holders - line_has(l, c->id);

	if (!others)
		return HIT;
	if (l->in[c->place.socket] != l->holders)
		return REMOTE;
	if (l->sim->topo.smt > 1 && nr_siblings(l, c) == others)
		return CORE;
	return LOCAL;
}

static sim_time distance_latency(const struct topo *t, enum distance d)
{
	const sim_time cost[] = { t->hit, t->core, t->local, t->remote };

	return cost[d];
}

/* If @c has a copy, it waits for others to drop theirs, but not for the data. */
static sim_time write_latency(const struct sim_line *l, const struct sim_cpu *c, enum distance d)
{
	const struct topo *t = &l->sim->topo;
	sim_time way = distance_latency(t, d);

	return t->upgrade && t->upgrade < way && line_has(l, c->id) ? t->upgrade : way;
}

static sim_time distance_occupancy(const struct topo *t, enum distance d)
{
	const sim_time cost[] = { 0, t->hit, t->occ_local, t->occ_remote };

	return cost[d];
}

static void req_done(void *arg, uint64_t tag)
{
	(void)tag;
	sim_done(arg);
}

static sim_time serve_read(struct sim_line *l, struct sim_req *r)
{
	struct sim *s = l->sim;
	enum distance d = read_distance(l, r->cpu);
	sim_time *arrives = &l->arrives[r->cpu->place.socket];
	sim_time at;

	at = (d <= LOCAL && *arrives > s->now ? *arrives : s->now) + distance_latency(&s->topo, d);
	if (d == REMOTE)
		*arrives = at;
	if (d != HIT)
		line_take(l, r->cpu);
	l->free_at = s->now + distance_occupancy(&s->topo, d);
	s->reads++;
	s->remote += d == REMOTE;
	return at;
}

static sim_time serve_write(struct sim_line *l, struct sim_req *r)
{
	struct sim *s = l->sim;
	enum distance d = write_distance(l, r->cpu);
	sim_time at = s->now + write_latency(l, r->cpu, d);

	take_alone(l, r->cpu);
	l->arrives[r->cpu->place.socket] = at;
	if (r->op != SIM_STORE && r->op != SIM_OWN)
		at += s->topo.rmw;
	l->free_at = at;
	s->writes++;
	s->remote += d == REMOTE;
	return at;
}

static void line_serve(struct sim_line *l, struct sim_req *r)
{
	sim_time at = r->op == SIM_READ ? serve_read(l, r) : serve_write(l, r);

	events_add(&l->sim->events, at, req_done, r, 0);
}

/* Hardware promises no order: on average a write waits for half of the reads. */
static struct sim_req *line_choose(struct sim_line *l)
{
	struct sim_req **p = &l->first, *r, *before = NULL;
	uint64_t n = l->sim->topo.random ? rng_below(&l->sim->rng, l->waiting) : 0;

	for (; n; n--) {
		before = *p;
		p = &before->next;
	}
	r = *p;
	*p = r->next;
	if (l->last == r)
		l->last = before;
	l->waiting--;
	return r;
}

static void line_plan(struct sim_line *l);

static void line_next(void *arg, uint64_t tag)
{
	struct sim_line *l = arg;

	(void)tag;
	l->planned = false;
	line_serve(l, line_choose(l));
	line_plan(l);
}

static void line_plan(struct sim_line *l)
{
	if (!l->waiting || l->planned)
		return;
	l->planned = true;
	events_add(&l->sim->events, l->free_at, line_next, l, 0);
}

void line_request(struct sim_line *l, struct sim_req *r)
{
	if (!l->waiting && l->free_at <= l->sim->now) {
		line_serve(l, r);
		return;
	}
	if (r->op == SIM_READ && line_has(l, r->cpu->id)) {
		events_add(&l->sim->events, l->sim->now + l->sim->topo.hit, req_done, r, 0);
		return;
	}
	r->next = NULL;
	if (l->first)
		l->last->next = r;
	else
		l->first = r;
	l->last = r;
	l->waiting++;
	line_plan(l);
}

void line_watch(struct sim_line *l, int cpu)
{
	if (l->watchers == l->room) {
		l->room = l->room ? 2 * l->room : 8;
		l->watcher = realloc(l->watcher, l->room * sizeof(*l->watcher));
		if (!l->watcher) {
			fputs("rqspin-sim: out of memory\n", stderr);
			exit(1);
		}
	}
	l->watcher[l->watchers++] = cpu;
}

void line_unwatch(struct sim_line *l, int cpu)
{
	for (int i = 0; i < l->watchers; i++) {
		if (l->watcher[i] != cpu)
			continue;
		l->watcher[i] = l->watcher[--l->watchers];
		return;
	}
}

/* No CPU is nearer than another for all lines: the order of the watchers is random. */
void line_changed(struct sim_line *l)
{
	while (l->watchers) {
		int i = l->watchers > 1 ? rng_below(&l->sim->rng, l->watchers) : 0;
		int cpu = l->watcher[i];

		l->watcher[i] = l->watcher[--l->watchers];
		sim_line_written(&l->sim->cpu[cpu]);
	}
}
