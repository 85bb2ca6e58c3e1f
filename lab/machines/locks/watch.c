// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The deadlock check of our lock (docs/lock.md, section 3), with its accesses: from the word to the
 * record of the owner, on to the word of the lock that the owner waits for, and so on; then the
 * same once more. The first look is due after 200 ns, then after 1 us, 4 us, up to 1 ms.
 */
#include <errno.h>
#include <stdlib.h>

#include "locks/qspin.h"
#include "locks/watch.h"

#define FIRST_LOOK (200 * SIM_NS)
#define MAX_LOOK   (1000 * SIM_US)
#define MAX_HOPS   32

struct world *world_new(struct sim *s, struct sim_lock **lock, int locks)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sim = s;
	w->lock = lock;
	w->locks = locks;
	w->cpu = calloc(s->ncpus, sizeof(*w->cpu));
	if (!w->cpu) {
		free(w);
		return NULL;
	}
	for (int i = 0; i < s->ncpus; i++) {
		line_init(&w->cpu[i].line, s, i);
		line_init(&w->cpu[i].held_line, s, i);
		w->cpu[i].wait.line = &w->cpu[i].line;
		w->cpu[i].depth.line = &w->cpu[i].held_line;
		for (int k = 0; k < RES_SLOTS; k++)
			w->cpu[i].slot[k].line = &w->cpu[i].held_line;
	}
	for (int i = 0; i < locks; i++)
		lock[i]->world = w;
	return w;
}

void world_free(struct world *w)
{
	for (int i = 0; w && i < w->sim->ncpus; i++) {
		line_free(&w->cpu[i].line);
		line_free(&w->cpu[i].held_line);
	}
	if (w)
		free(w->cpu);
	free(w);
}

bool res_mine(struct sim_cpu *c, uint64_t word)
{
	return (word & Q_LOCKED) == res_tag(c->id);
}

void res_wait_begin(struct sim_cpu *c, struct sim_lock *l, struct res_look *k, sim_time limit)
{
	sim_store(c, &l->world->cpu[c->id].wait, UINT64_MAX, l->id + 1);
	k->start = c->sim->now;
	k->next = k->start + FIRST_LOOK;
	k->interval = 1000 * SIM_NS;
	k->limit = c->sim->now + limit;
}

void res_wait_end(struct sim_cpu *c, struct sim_lock *l)
{
	sim_store(c, &l->world->cpu[c->id].wait, UINT64_MAX, 0);
}

/* The CPU that owns a lock with this word; -1: nobody. */
static int word_owner(uint64_t word)
{
	return (int)(word & Q_LOCKED) - 1;
}

/* Return: true if the chain of waits comes back to @c. */
static bool waits_walk(struct sim_cpu *c, struct sim_lock *l)
{
	struct world *w = l->world;

	for (int hop = 0; hop <= MAX_HOPS; hop++) {
		int cpu = word_owner(sim_read(c, &l->word));
		uint64_t waits;

		if (cpu == c->id)
			return true;
		if (cpu < 0)
			return false;
		waits = sim_read(c, &w->cpu[cpu].wait);
		if (!waits || w->lock[waits - 1] == l)
			return false;
		l = w->lock[waits - 1];
	}
	return false;
}

int res_check(struct sim_cpu *c, struct sim_lock *l, struct res_look *k)
{
	if (c->sim->now < k->next)
		return 0;
	k->next = c->sim->now + k->interval;
	k->interval = k->interval * 4 < MAX_LOOK ? k->interval * 4 : MAX_LOOK;
	if (k->next > k->limit)
		k->next = k->limit;
	if (waits_walk(c, l) && waits_walk(c, l))
		return -EDEADLK;
	return c->sim->now >= k->limit ? -ETIMEDOUT : 0;
}

int res_spin(struct sim_cpu *c, struct sim_lock *l, struct sim_var *v, struct res_look *k)
{
	if (sim_watch(c, v, k->next))
		return 0;
	return res_check(c, l, k);
}
