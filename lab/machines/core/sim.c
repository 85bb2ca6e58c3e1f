// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"

static void cpu_begin(void *arg)
{
	struct sim_cpu *c = arg;

	c->code(c);
}

static void kick_off(void *arg, uint64_t tag)
{
	(void)tag;
	sim_resume(arg);
}

static int add_cpu(struct sim *s, int id, void (*code)(struct sim_cpu *))
{
	struct sim_cpu *c = &s->cpu[id];

	c->sim = s;
	c->id = id;
	c->place = topo_place(&s->topo, id);
	c->sleep_end = SIM_NEVER;
	c->code = code;
	c->fiber = fiber_new(cpu_begin, c);
	if (!c->fiber)
		return -ENOMEM;
	events_add(&s->events, rng_below(&s->rng, 100 * SIM_NS), kick_off, c, 0);
	return 0;
}

int sim_init(struct sim *s, const struct topo *t, int ncpus, uint64_t seed,
	     void (*code)(struct sim_cpu *))
{
	memset(s, 0, sizeof(*s));
	s->topo = *t;
	s->rng.state = seed;
	s->ncpus = ncpus;
	s->cpu = calloc(ncpus, sizeof(*s->cpu));
	if (!s->cpu)
		return -ENOMEM;
	for (int i = 0; i < ncpus; i++)
		if (add_cpu(s, i, code))
			return -ENOMEM;
	return 0;
}

void sim_run(struct sim *s, sim_time end)
{
	struct event e;

	s->end = end;
	while (!s->stop && events_next(&s->events, &e) && e.at <= end) {
		s->now = e.at;
		e.fn(e.arg, e.tag);
	}
	sim_running = NULL;
}

void sim_free(struct sim *s)
{
	for (int i = 0; s->cpu && i < s->ncpus; i++)
		fiber_free(s->cpu[i].fiber);
	free(s->cpu);
	events_free(&s->events);
}
