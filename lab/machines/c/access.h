/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an access of the locks' C costs the CPU that runs. */
#ifndef SIM_C_ACCESS_H
#define SIM_C_ACCESS_H

#include "core/sim.h"

/* The access itself follows: these only take its time. */
void c_read_plain(const volatile void *at, size_t size);
void c_write_plain(const volatile void *at, size_t size);

uint64_t c_load(const volatile void *at, int size);
void c_store(volatile void *at, int size, uint64_t v);

/**
 * c_rmw() - An atomic.
 * @op: SIM_SWAP, SIM_CAS, SIM_ADD, SIM_OR, SIM_AND
 * @old: for SIM_CAS
 * @order: relaxed in the CPU's own data is this_cpu_...(), which locks nothing
 *
 * Return: the value before.
 */
uint64_t c_rmw(enum sim_op op, volatile void *at, int size, uint64_t v, uint64_t old, int order);
void c_fence(void);

/** c_watch() - Sleep until the line of @at is written, or until @limit. Return: false: @limit. */
bool c_watch(const volatile void *at, sim_time limit);

/** c_pause() - One PAUSE, or until the line is written that was read since the last one. */
void c_pause(void);

/** c_spend() - Let @c have computed for @t; it passes with the next access. */
void c_spend(struct sim_cpu *c, sim_time t);

/** c_settle() - Let the time pass that @c has spent without an event. */
void c_settle(struct sim_cpu *c);

/** c_now() - The time of the CPU that runs. */
sim_time c_now(void);

#endif
