// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The yardstick: a qspinlock whose CPUs keep a table of the locks that they hold or attempt, as
 * docs/lock.md, section 7, describes upstream's. Every acquisition has an entry. AA is found at
 * once in the own table. Pairs are found in the tables of all CPUs: after a millisecond, and again
 * every millisecond, when a count of spins is over. Other deadlocks end by a time limit. Written
 * from that description alone.
 */
#include <errno.h>

#include "locks/qspin.h"
#include "locks/lock.h"
#include "locks/watch.h"

#define SPINS  65536
#define EVERY  SIM_MS
#define LIMIT  (250 * SIM_MS)
#define LOCKED 1

static struct res_cpu *held_table(struct sim_lock *l, int cpu)
{
	return &l->world->cpu[cpu];
}

static void held_push(struct sim_cpu *c, struct sim_lock *l)
{
	struct res_cpu *t = held_table(l, c->id);
	uint64_t n = sim_read(c, &t->depth);

	sim_store(c, &t->slot[n % RES_SLOTS], UINT64_MAX, l->id + 1);
	sim_store(c, &t->depth, UINT64_MAX, n + 1);
}

static void held_pop(struct sim_cpu *c, struct sim_lock *l)
{
	struct res_cpu *t = held_table(l, c->id);
	uint64_t n = sim_read(c, &t->depth) - 1;

	sim_store(c, &t->slot[n % RES_SLOTS], UINT64_MAX, 0);
	sim_store(c, &t->depth, UINT64_MAX, n);
}

/* Is lock @id among the entries of @cpu below the top one? */
static bool cpu_holds(struct sim_cpu *c, struct sim_lock *l, int cpu, uint64_t id)
{
	struct res_cpu *t = held_table(l, cpu);
	uint64_t n = sim_read(c, &t->depth);

	for (uint64_t i = 0; i + 1 < n && i < RES_SLOTS; i++)
		if (sim_read(c, &t->slot[i]) == id)
			return true;
	return false;
}

static bool pair_with(struct sim_cpu *c, struct sim_lock *l, int cpu)
{
	struct res_cpu *t = held_table(l, cpu);
	uint64_t n = sim_read(c, &t->depth), wants;

	if (n < 2 || !cpu_holds(c, l, cpu, l->id + 1))
		return false;
	wants = sim_read(c, &t->slot[(n - 1) % RES_SLOTS]);
	return wants && cpu_holds(c, l, c->id, wants);
}

static bool find_pair(struct sim_cpu *c, struct sim_lock *l)
{
	for (int i = 0; i < c->sim->ncpus; i++)
		if (i != c->id && pair_with(c, l, i))
			return true;
	return false;
}

static int wait_pending(struct sim_cpu *c, struct sim_lock *l)
{
	sim_time spins = SPINS * c->sim->topo.pause, end = c->sim->now + LIMIT;
	sim_time every = (EVERY + spins - 1) / spins * spins, next = c->sim->now + every;

	while (sim_read(c, &l->word) & Q_LOCKED) {
		if (sim_watch(c, &l->word, next < end ? next : end))
			continue;
		if (find_pair(c, l))
			return -EDEADLK;
		if (c->sim->now >= end)
			return -ETIMEDOUT;
		next = c->sim->now + every;
	}
	sim_store(c, &l->word, Q_BUSY, LOCKED);
	return 0;
}

static int held_slow(struct sim_cpu *c, struct sim_lock *l, uint64_t val)
{
	if (cpu_holds(c, l, c->id, l->id + 1))
		return -EDEADLK;
	if (q_set_pending(c, l, val))
		return wait_pending(c, l);
	q_queue(c, l);
	return 0;
}

static int held_acquire(struct sim_cpu *c, struct sim_lock *l)
{
	uint64_t val;
	int ret = 0;

	held_push(c, l);
	val = sim_cas(c, &l->word, 0, LOCKED);
	if (val)
		ret = held_slow(c, l, val);
	if (ret)
		held_pop(c, l);
	return ret;
}

static void held_release(struct sim_cpu *c, struct sim_lock *l)
{
	sim_store(c, &l->word, Q_LOCKED, 0);
	held_pop(c, l);
}

const struct lock_ops held_table_lock = {
	.name = "held-table",
	.source = "docs/lock.md, section 7: what upstream's table costs",
	.state = sizeof(struct mcs_cpu),
	.init = q_init,
	.done = q_done,
	.acquire = held_acquire,
	.release = held_release,
	.finds_deadlocks = true,
};
