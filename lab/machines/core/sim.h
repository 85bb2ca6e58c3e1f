/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "core/line.h"
#include "core/machine.h"

/* The CPU whose code runs, NULL outside of sim_run(). */
extern struct sim_cpu *sim_running;

/**
 * sim_init() - Set up a machine at time 0 whose first @ncpus threads run @code.
 * @code: must not return; it may look at cpu->user
 */
int sim_init(struct sim *s, const struct topo *t, int ncpus, uint64_t seed,
	     void (*code)(struct sim_cpu *));
void sim_run(struct sim *s, sim_time end);
void sim_free(struct sim *s);

/* What the code of a CPU may do. All of these take simulated time. */

/** sim_read() - The value of @v. */
uint64_t sim_read(struct sim_cpu *c, struct sim_var *v);

/** sim_store() - Store the bits of @mask; it is visible later, in the order of the stores. */
void sim_store(struct sim_cpu *c, struct sim_var *v, uint64_t mask, uint64_t bits);

/** sim_swap() - Exchange the bits of @mask, after all stores. Return: the value before. */
uint64_t sim_swap(struct sim_cpu *c, struct sim_var *v, uint64_t mask, uint64_t bits);

/** sim_cas() - Compare and exchange, after all stores. Return: the value before. */
uint64_t sim_cas(struct sim_cpu *c, struct sim_var *v, uint64_t old, uint64_t new);

/** sim_add() - Add, after all stores. Return: the value before. */
uint64_t sim_add(struct sim_cpu *c, struct sim_var *v, uint64_t n);

/** sim_own() - Get the line of @v for writing, as an access to protected data does. */
void sim_own(struct sim_cpu *c, struct sim_var *v);

/** sim_delay() - Compute for @t. */
void sim_delay(struct sim_cpu *c, sim_time t);

/** sim_pause() - @n PAUSEs. */
void sim_pause(struct sim_cpu *c, uint64_t n);

/**
 * sim_watch() - Spin on the line of @v until the line is written, or until @limit.
 *
 * The caller has just read @v. When the line is written, the CPU fetches it again, at the cost of
 * a read.
 *
 * Return: false if the limit came first.
 */
bool sim_watch(struct sim_cpu *c, struct sim_var *v, sim_time limit);

/* For code that brings its own memory along (c/). */

/** sim_access() - The access @op of @v with the rest of @r. Return: the word before. */
uint64_t sim_access(struct sim_cpu *c, enum sim_op op, struct sim_var *v, struct sim_req r);

/** sim_drain() - Wait until all stores of @c are visible. */
void sim_drain(struct sim_cpu *c);

/** sim_apply() - What @r does to its word, at once; r->old is the word before. */
void sim_apply(struct sim_req *r);

/* For the core itself. */

void sim_resume(struct sim_cpu *c);
void sim_block(struct sim_cpu *c);
void sim_off(struct sim_cpu *c);
void sim_on(struct sim_cpu *c);

#endif
