/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "locks/lock.h"

#define RES_SLOTS 8

/**
 * struct res_cpu - the state of a CPU that others may read
 * @wait:  number + 1 of the lock that it waits for
 * @depth, @slot: table of the locks that it holds or attempts (held-table.c)
 */
struct res_cpu {
	struct sim_line line, held_line;
	struct sim_var wait;
	struct sim_var depth, slot[RES_SLOTS];
};

/** struct res_look - when a waiter next looks for a cycle; @start: when it began to wait */
struct res_look {
	sim_time start, next, interval, limit;
};

/**
 * struct world - state that the resilient locks of a simulation share
 * @lock: all locks, by number
 */
struct world {
	struct sim *sim;
	struct sim_lock **lock;
	int locks;
	struct res_cpu *cpu;
};

/** world_new() - Make the shared state of @locks resilient locks. Return: NULL without memory. */
struct world *world_new(struct sim *s, struct sim_lock **lock, int locks);
void world_free(struct world *w);

/** res_tag() - The tag that CPU @cpu stores in the word of a lock that it owns. */
static inline uint64_t res_tag(int cpu)
{
	return (uint64_t)cpu + 1;
}

/** res_mine() - Does the calling CPU own a lock with this word? */
bool res_mine(struct sim_cpu *c, uint64_t word);

void res_wait_begin(struct sim_cpu *c, struct sim_lock *l, struct res_look *k, sim_time limit);
void res_wait_end(struct sim_cpu *c, struct sim_lock *l);

/**
 * res_spin() - Spin on @v until it is written; look for a cycle when that is due.
 *
 * Return: 0: go on; -EDEADLK, -ETIMEDOUT.
 */
int res_spin(struct sim_cpu *c, struct sim_lock *l, struct sim_var *v, struct res_look *k);

/** res_check() - Look for a cycle if that is due. Return: as res_spin(). */
int res_check(struct sim_cpu *c, struct sim_lock *l, struct res_look *k);

#endif
