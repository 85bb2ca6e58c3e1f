/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_QSPIN_H
#define SIM_QSPIN_H

#include "locks/lock.h"

/* The word of qspinlock: locked byte, pending byte, CPU + 1 of the tail. */
/* The locked byte, with room for the bits of the pending byte that name an owner. */
#define Q_LOCKED  0xffffULL
#define Q_PENDING 0x10000ULL
#define Q_BUSY	  0xffffffULL
#define Q_TAIL	  0xffffffff000000ULL

static inline uint64_t q_tail(int n)
{
	return (uint64_t)(n + 1) << 24;
}

/* Number of the tail's CPU or node, -1 if there is none. */
static inline int q_last(uint64_t word)
{
	return (int)((word & Q_TAIL) >> 24) - 1;
}

/**
 * q_pending() - The path of qspinlock for a second CPU.
 * @val:    the word as the caller saw it
 * @locked: new value of the locked byte
 *
 * Return: true if the caller has the lock; false if it must queue.
 */
bool q_pending(struct sim_cpu *c, struct sim_lock *l, uint64_t val, uint64_t locked);

/** q_set_pending() - Return: true if the pending bit is ours now. */
bool q_set_pending(struct sim_cpu *c, struct sim_lock *l, uint64_t val);

/** q_trylock() - Take a lock that has no owner and no waiter. */
bool q_trylock(struct sim_cpu *c, struct sim_lock *l, uint64_t locked);

/* The MCS queue of qspinlock; the state of a lock that uses it begins with struct mcs_cpu. */
struct mcs_cpu {
	struct sim_line line;
	struct sim_var next, go;
};

void q_init(struct sim_lock *l);
void q_done(struct sim_lock *l);
void q_queue(struct sim_cpu *c, struct sim_lock *l);

/** q_release() - Clear the locked byte, as every lock with this word does. */
void q_release(struct sim_cpu *c, struct sim_lock *l);

/** q_join() - Join the queue, and wait to be its head. Return: true if the caller has the lock. */
bool q_join(struct sim_cpu *c, struct sim_lock *l);

/** q_wait_free() - Return: the word, as soon as it has no owner and no pending waiter. */
uint64_t q_wait_free(struct sim_cpu *c, struct sim_lock *l);

#endif
