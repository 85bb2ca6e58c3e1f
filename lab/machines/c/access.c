// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Accesses. An access to the CPU's own data whose line no other CPU has, or wants, takes the time
 * of a hit, but no event: that time is spent with the next access to other memory.
 */
#include <stdlib.h>
#include <string.h>

#include "c/access.h"
#include "c/memory.h"

/**
 * struct c_cpu - a CPU that runs the locks' C
 * @spent: time that has not passed yet
 * @seen: word of a line that others may write, read since the last pause
 */
struct c_cpu {
	sim_time spent;
	struct sim_var *seen;
};

static struct c_cpu cpus[SIM_CPUS];

void c_access_reset(void)
{
	memset(cpus, 0, sizeof(cpus));
}

void c_spend(struct sim_cpu *c, sim_time t)
{
	cpus[c->id].spent += t;
}

void c_settle(struct sim_cpu *c)
{
	sim_time t = cpus[c->id].spent;

	cpus[c->id].spent = 0;
	sim_delay(c, t);
}

sim_time c_now(void)
{
	return sim_running->sim->now + cpus[sim_running->id].spent;
}

static bool is_at_hand(const struct sim_cpu *c, const struct c_word *w, bool alone)
{
	const struct sim_line *l = w->line;

	return w->own && !l->waiting && l->free_at <= c->sim->now && line_has(l, c->id) &&
	       (!alone || l->holders == 1);
}

static const struct sim_req *newest_store(const struct sim_cpu *c, const struct c_word *w)
{
	for (int i = c->stores - 1; i >= 0; i--) {
		const struct sim_req *r = &c->store[(c->store_first + i) % SIM_STORES];

		if (r->var == w->var && r->mask & w->mask)
			return r;
	}
	return NULL;
}

static void c_spend_hit(struct sim_cpu *c)
{
	c_spend(c, c->sim->topo.hit);
}

/* Take the time of a read of memory as it is; the CPU has no store to it that is not visible. */
static void word_fetch(struct sim_cpu *c, const struct c_word *w)
{
	if (!w->own)
		cpus[c->id].seen = w->var;
	if (is_at_hand(c, w, false)) {
		c_spend_hit(c);
		return;
	}
	c_settle(c);
	sim_access(c, SIM_READ, w->var, (struct sim_req){ 0 });
}

static uint64_t value_of(const struct c_word *w, uint64_t word)
{
	return (word & w->mask) >> w->shift;
}

static uint64_t load_word(struct sim_cpu *c, const struct c_word *w)
{
	const struct sim_req *r = w->line ? newest_store(c, w) : NULL;

	if (r && !(w->mask & ~r->mask)) {
		c_spend_hit(c);
		return r->bits;
	}
	if (r)
		sim_drain(c);
	if (w->line)
		word_fetch(c, w);
	return *w->var->at;
}

uint64_t c_load(const volatile void *at, int size)
{
	struct c_word w;

	c_word_find(&w, at, size);
	return value_of(&w, load_word(sim_running, &w));
}

/* @mask 0: what is stored is in memory already. */
static void store_word(struct sim_cpu *c, const struct c_word *w, uint64_t mask, uint64_t bits)
{
	if (!w->line || (!c->stores && is_at_hand(c, w, true))) {
		*w->var->at = (*w->var->at & ~mask) | (bits & mask);
		return;
	}
	c_settle(c);
	sim_store(c, w->var, mask, bits & mask);
}

void c_store(volatile void *at, int size, uint64_t v)
{
	struct c_word w;

	c_word_find(&w, at, size);
	store_word(sim_running, &w, w.mask, v << w.shift);
}

void c_read_plain(const volatile void *at, size_t size)
{
	struct sim_cpu *c = sim_running;

	for (size_t i = 0; i < size; i += 8) {
		struct c_word w;

		c_word_find(&w, (const volatile char *)at + i, size - i < 8 ? size - i : 8);
		if (!w.line)
			return;
		if (newest_store(c, &w))
			sim_drain(c);
		word_fetch(c, &w);
	}
}

void c_write_plain(const volatile void *at, size_t size)
{
	for (size_t i = 0; i < size; i += 8) {
		struct c_word w;

		c_word_find(&w, (const volatile char *)at + i, size - i < 8 ? size - i : 8);
		if (!w.line)
			return;
		if (newest_store(sim_running, &w))
			sim_drain(sim_running); /* what it stores must not come last */
		store_word(sim_running, &w, 0, 0);
	}
}

/* Not an atomic for other CPUs: they do not write this data. */
static uint64_t rmw_own(struct sim_cpu *c, const struct c_word *w, struct sim_req *r)
{
	uint64_t word = load_word(c, w);
	struct sim_var copy = { .at = &word };

	r->var = &copy;
	sim_apply(r);
	store_word(c, w, w->mask, word);
	return r->old;
}

static uint64_t rmw_word(struct sim_cpu *c, const struct c_word *w, struct sim_req *r, int order)
{
	if (!w->line) {
		r->var = w->var;
		sim_apply(r);
		return r->old;
	}
	if (w->own && order == __ATOMIC_RELAXED)
		return rmw_own(c, w, r);
	c_settle(c);
	sim_drain(c);
	return sim_access(c, r->op, w->var, *r);
}

uint64_t c_rmw(enum sim_op op, volatile void *at, int size, uint64_t v, uint64_t old, int order)
{
	struct c_word w;
	struct sim_req r;

	c_word_find(&w, at, size);
	r = (struct sim_req){
		.op = op, .mask = w.mask, .bits = v << w.shift, .old = old << w.shift & w.mask
	};
	return value_of(&w, rmw_word(sim_running, &w, &r, order));
}

void c_fence(void)
{
	struct sim_cpu *c = sim_running;

	if (!c)
		return;
	c_settle(c);
	sim_drain(c);
	c_spend(c, c->sim->topo.rmw);
}

static bool watch_var(struct sim_cpu *c, struct sim_var *v, sim_time limit)
{
	cpus[c->id].seen = NULL;
	c_settle(c);
	return sim_watch(c, v, limit);
}

bool c_watch(const volatile void *at, sim_time limit)
{
	struct c_word w;

	c_word_find(&w, at, 1);
	if (!w.line)
		abort(); /* nobody would end the wait */
	return watch_var(sim_running, w.var, limit);
}

void c_pause(void)
{
	struct sim_cpu *c = sim_running;
	struct sim_var *v = cpus[c->id].seen;
	sim_time pause = c->sim->topo.pause;

	if (v)
		watch_var(c, v, c->sim->now + cpus[c->id].spent + pause);
	else
		c_spend(c, pause);
}
