/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_LOCK_H
#define SIM_LOCK_H

#include "core/sim.h"

struct sim_lock;
struct lab_ops;

/**
 * struct lock_ops - a lock
 * @name:    its name on the command line
 * @source:  where it is described
 * @state:   bytes of state for each CPU
 * @param:   distinguishes variants in one file
 * @code:    what c/ runs
 * @finds_deadlocks: @acquire may fail
 * @init:    optional; the state is zeroed
 * @done:    optional; frees the lines that @init made
 * @acquire: returns 0, -EDEADLK or -ETIMEDOUT
 */
struct lock_ops {
	const char *name, *source;
	size_t state;
	int param;
	const struct lab_ops *code;
	bool finds_deadlocks;
	void (*init)(struct sim_lock *l);
	void (*done)(struct sim_lock *l);
	int (*acquire)(struct sim_cpu *c, struct sim_lock *l);
	void (*release)(struct sim_cpu *c, struct sim_lock *l);
};

/**
 * struct sim_lock - a lock of a simulation
 * @line:  line of @word, and of @data where that is embedded
 * @state: @ops->state bytes for each CPU
 * @queued, @unfair: acquisitions in order, and past others (where a lock distinguishes them)
 */
struct sim_lock {
	const struct lock_ops *ops;
	struct sim *sim;
	int id;
	struct sim_line line;
	struct sim_var word, data;
	void *state;
	uint64_t queued, unfair;
	struct world *world;
};

static inline void *lock_cpu_state(const struct sim_lock *l, int cpu)
{
	return (char *)l->state + cpu * l->ops->state;
}

/** lock_find() - The lock with a name, or NULL. */
const struct lock_ops *lock_find(const char *name);

/** lock_at() - The locks in the order of their tables; NULL behind the last. */
const struct lock_ops *lock_at(int i);

/** lock_has_c() - Are there locks in C? They need the patched kernel tree. */
bool lock_has_c(void);

extern const struct lock_ops ticket_lock, ticket_10_lock, ticket_50_lock, ticket_250_lock,
	ticket_auto_lock, qspin_lock, qspin_cas_lock, unfair_lock, pv_lock, hybrid_pv_lock,
	queue_lock, queue_late_lock, queue_bare_lock, hybrid_lock, cna_lock, tas_lock,
	tas_auto_lock, held_table_lock;

/* The locks in C, where they are built (c/). */
extern const struct lock_ops *const c_lock_table[] __attribute__((weak));

int lock_init(struct sim_lock *l, const struct lock_ops *ops, struct sim *s, int id);
void lock_done(struct sim_lock *l);

#endif
