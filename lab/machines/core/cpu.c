// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The operations of a CPU's code, and how it resumes after a wait. */
#include "core/sim.h"

struct sim_cpu *sim_running;

void sim_block(struct sim_cpu *c)
{
	fiber_yield(c->fiber);
}

void sim_resume(struct sim_cpu *c)
{
	if (c->off) {
		c->due = true;
		return;
	}
	c->wait++;
	sim_running = c;
	fiber_resume(c->fiber);
}

void sim_apply(struct sim_req *r)
{
	uint64_t *word = r->var->at ? r->var->at : &r->var->value;
	uint64_t old = *word, bits = old;

	switch (r->op) {
	case SIM_STORE:
	case SIM_SWAP:
		bits = r->bits;
		break;
	case SIM_CAS:
		bits = (old & r->mask) == r->old ? r->bits : old;
		break;
	case SIM_ADD:
		bits = old + r->bits;
		break;
	case SIM_OR:
		bits = old | r->bits;
		break;
	case SIM_AND:
		bits = old & r->bits;
		break;
	default:
		break;
	}
	*word = (old & ~r->mask) | (bits & r->mask);
	r->old = old;
}

static void next_store(struct sim_cpu *c)
{
	struct sim_req *r = &c->store[c->store_first];

	line_request(r->var->line, r);
}

static void store_done(struct sim_cpu *c)
{
	c->store_first = (c->store_first + 1) % SIM_STORES;
	c->stores--;
	if (c->stores)
		next_store(c);
	if (c->draining && c->stores < SIM_STORES) {
		c->draining = false;
		sim_resume(c);
	}
}

void sim_done(struct sim_req *r)
{
	struct sim_cpu *c = r->cpu;
	bool store = r->op == SIM_STORE;

	sim_apply(r);
	if (r->op != SIM_READ)
		line_changed(r->var->line);
	if (store)
		store_done(c);
	else
		sim_resume(c);
}

/* Waits until at most @left stores are pending. */
static void stores_drain(struct sim_cpu *c, int left)
{
	while (c->stores > left) {
		c->draining = true;
		sim_block(c);
	}
}

void sim_drain(struct sim_cpu *c)
{
	stores_drain(c, 0);
}

uint64_t sim_access(struct sim_cpu *c, enum sim_op op, struct sim_var *v, struct sim_req r)
{
	r.cpu = c;
	r.var = v;
	r.op = op;
	c->req = r;
	line_request(v->line, &c->req);
	sim_block(c);
	return c->req.old;
}

static bool stores_to(const struct sim_cpu *c, const struct sim_var *v)
{
	for (int i = 0; i < c->stores; i++)
		if (c->store[(c->store_first + i) % SIM_STORES].var == v)
			return true;
	return false;
}

uint64_t sim_read(struct sim_cpu *c, struct sim_var *v)
{
	if (stores_to(c, v))
		stores_drain(c, 0);
	return sim_access(c, SIM_READ, v, (struct sim_req){ 0 });
}

void sim_store(struct sim_cpu *c, struct sim_var *v, uint64_t mask, uint64_t bits)
{
	struct sim_req *r;

	stores_drain(c, SIM_STORES - 1);
	r = &c->store[(c->store_first + c->stores) % SIM_STORES];
	*r = (struct sim_req){ .cpu = c, .var = v, .op = SIM_STORE, .mask = mask, .bits = bits };
	if (!c->stores++)
		next_store(c);
}

uint64_t sim_swap(struct sim_cpu *c, struct sim_var *v, uint64_t mask, uint64_t bits)
{
	stores_drain(c, 0);
	return sim_access(c, SIM_SWAP, v, (struct sim_req){ .mask = mask, .bits = bits });
}

uint64_t sim_cas(struct sim_cpu *c, struct sim_var *v, uint64_t old, uint64_t new)
{
	stores_drain(c, 0);
	return sim_access(c, SIM_CAS, v,
			  (struct sim_req){ .mask = UINT64_MAX, .old = old, .bits = new });
}

uint64_t sim_add(struct sim_cpu *c, struct sim_var *v, uint64_t n)
{
	stores_drain(c, 0);
	return sim_access(c, SIM_ADD, v, (struct sim_req){ .mask = UINT64_MAX, .bits = n });
}

void sim_own(struct sim_cpu *c, struct sim_var *v)
{
	sim_access(c, SIM_OWN, v, (struct sim_req){ 0 });
}

static void cpu_awake(void *arg, uint64_t wait)
{
	struct sim_cpu *c = arg;

	if (c->wait != wait)
		return;
	c->sleep_end = SIM_NEVER;
	sim_resume(c);
}

static void sleep_until(struct sim_cpu *c, sim_time end)
{
	c->sleep_end = end;
	events_add(&c->sim->events, end, cpu_awake, c, c->wait);
}

void sim_delay(struct sim_cpu *c, sim_time t)
{
	if (t <= 0)
		return;
	sleep_until(c, c->sim->now + t);
	sim_block(c);
}

void sim_pause(struct sim_cpu *c, uint64_t n)
{
	sim_delay(c, n * c->sim->topo.pause);
}

static void line_fetch(struct sim_cpu *c)
{
	c->req = (struct sim_req){ .cpu = c, .var = c->req.var, .op = SIM_READ };
	line_request(c->req.var->line, &c->req);
}

void sim_line_written(struct sim_cpu *c)
{
	c->watched = NULL;
	c->changed = true;
	if (c->off) {
		c->lost = true;
		return;
	}
	c->wait++; /* the limit's event is stale: limits are not exact to one read */
	c->sleep_end = SIM_NEVER;
	line_fetch(c);
}

bool sim_watch(struct sim_cpu *c, struct sim_var *v, sim_time limit)
{
	if (c->sim->now >= limit)
		return false;
	c->req.var = v;
	c->changed = false;
	if (!line_has(v->line, c->id)) {
		c->changed = true;
		line_fetch(c);
	} else {
		c->watched = v->line;
		line_watch(v->line, c->id);
		if (limit != SIM_NEVER)
			events_add(&c->sim->events, limit, cpu_awake, c, c->wait);
	}
	sim_block(c);
	if (c->watched)
		line_unwatch(c->watched, c->id);
	c->watched = NULL;
	return c->changed;
}

/* The host preempts the CPU: the rest of a delay stops. */
void sim_off(struct sim_cpu *c)
{
	c->off = true;
	if (c->sleep_end == SIM_NEVER)
		return;
	c->sleep_left = c->sleep_end - c->sim->now;
	c->wait++;
}

void sim_on(struct sim_cpu *c)
{
	c->off = false;
	if (c->due) {
		c->due = false;
		c->lost = false;
		sim_resume(c);
	} else if (c->lost) {
		c->lost = false;
		line_fetch(c);
	} else if (c->sleep_end != SIM_NEVER) {
		sleep_until(c, c->sim->now + c->sleep_left);
	}
}
