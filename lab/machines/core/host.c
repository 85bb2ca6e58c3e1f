// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/host.h"

static void turn_over(void *arg, uint64_t turn);

static void vcpu_run(struct vcpu *v, sim_time slice)
{
	struct host *h = v->host;

	h->idle--;
	v->state = VCPU_RUNS;
	v->turn++;
	events_add(&h->sim->events, h->sim->now + slice, turn_over, v, v->turn);
	sim_on(v->cpu);
}

static void run_next(struct host *h)
{
	struct vcpu *v;

	if (!h->idle || !h->waiting)
		return;
	v = &h->vcpu[h->ready[h->first]];
	h->first = (h->first + 1) % h->sim->ncpus;
	h->waiting--;
	vcpu_run(v, h->costs.slice);
}

static void make_ready(struct vcpu *v)
{
	struct host *h = v->host;

	v->state = VCPU_READY;
	h->ready[(h->first + h->waiting++) % h->sim->ncpus] = v->cpu->id;
	run_next(h);
}

static void turn_over(void *arg, uint64_t turn)
{
	struct vcpu *v = arg;
	struct host *h = v->host;

	if (v->turn != turn)
		return;
	if (!h->waiting) {
		events_add(&h->sim->events, h->sim->now + h->costs.slice, turn_over, v, turn);
		return;
	}
	v->turn++;
	h->preempted++;
	sim_off(v->cpu);
	h->idle++;
	make_ready(v);
}

int host_init(struct host *h, struct sim *s, const struct host_costs *c)
{
	*h = (struct host){ .costs = *c, .sim = s, .idle = c->pcpus };
	h->vcpu = calloc(s->ncpus, sizeof(*h->vcpu));
	h->ready = calloc(s->ncpus, sizeof(*h->ready));
	if (!h->vcpu || !h->ready)
		return -ENOMEM;
	s->host = h;
	for (int i = 0; i < s->ncpus; i++) {
		struct vcpu *v = &h->vcpu[i];

		*v = (struct vcpu){ .cpu = &s->cpu[i], .host = h };
		s->cpu[i].host = v;
		sim_off(&s->cpu[i]);
		if (i < c->pcpus)
			vcpu_run(v, 1 + rng_below(&s->rng, c->slice));
		else
			make_ready(v);
	}
	return 0;
}

void host_free(struct host *h)
{
	free(h->vcpu);
	free(h->ready);
}

static void vcpu_stop(void *arg, uint64_t turn)
{
	struct vcpu *v = arg;

	(void)turn;
	v->host->idle++;
	run_next(v->host);
}

void host_halt(struct sim_cpu *c)
{
	struct vcpu *v = c->host;

	if (!v || v->kicked) {
		if (v)
			v->kicked = false;
		sim_pause(c, 1);
		return;
	}
	v->state = VCPU_HALTED;
	v->turn++;
	v->host->halts++;
	c->off = true;
	c->due = true; /* it goes on as soon as the host runs it */
	/* The next CPU must not be resumed on the stack of this one. */
	events_add(&c->sim->events, c->sim->now, vcpu_stop, v, 0);
	sim_block(c);
}

static void vcpu_woken(void *arg, uint64_t turn)
{
	(void)turn;
	make_ready(arg);
}

void host_kick(struct sim_cpu *c, int cpu)
{
	struct vcpu *v = c->sim->cpu[cpu].host;

	if (!v)
		return;
	v->host->kicks++;
	if (v->state == VCPU_HALTED) {
		v->state = VCPU_WAKES;
		events_add(&c->sim->events, c->sim->now + v->host->costs.wake, vcpu_woken, v, 0);
	} else {
		v->kicked = true;
	}
	sim_delay(c, v->host->costs.kick);
}
