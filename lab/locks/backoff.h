/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Back-off in proportion to the number of CPUs ahead, after Rik van Riel's series for x86 ticket
 * locks (2013), with what that took from Eric Dumazet (a delay for each CPU and lock) and Michel
 * Lespinasse.
 *
 * Delays count pauses of the CPUs of that time, which took about 10 cycles. Since Skylake they take
 * up to 140: so a delay is converted to as many of this machine's pauses as take as long.
 */
#ifndef LAB_BACKOFF_H
#define LAB_BACKOFF_H

#include "shim.h"

#define BACKOFF_SHIFT 8 /* 24.8 fixed point */
#define BACKOFF_ONE   (1U << BACKOFF_SHIFT)
#define BACKOFF_MIN   BACKOFF_ONE
#define BACKOFF_MAX   (16000 * BACKOFF_ONE)

#define BACKOFF_HASH_SHIFT 6

/**
 * struct backoff - what a CPU remembers of a lock
 * @lock: whose delay it is; another lock with the same hash takes the place over
 * @delay: for each CPU ahead, fixed point
 */
struct backoff {
	const void *lock;
	u32 delay;
};

/**
 * backoff_of() - this CPU's place for a lock
 * @lock: the lock
 */
struct backoff *backoff_of(const void *lock);

/**
 * backoff_wait() - pause
 * @delay: fixed point
 */
void backoff_wait(u64 delay);

/**
 * backoff_start() - the delay with which a wait begins
 * @b: this CPU's place for @lock
 * @lock: the lock
 */
static inline u32 backoff_start(const struct backoff *b, const void *lock)
{
	return b->lock == lock ? b->delay : BACKOFF_MIN;
}

/**
 * backoff_longer() - the delay after a look that was too early
 * @delay: before it
 *
 * A seventh more with each look: at the balance seven looks too early make up for one too late.
 */
static inline u32 backoff_longer(u32 delay)
{
	return delay < BACKOFF_MAX ? delay + BACKOFF_ONE / 7 : delay;
}

/**
 * backoff_shorter() - the delay after a look that was too late
 * @delay: before it
 */
static inline u32 backoff_shorter(u32 delay)
{
	return delay >= 2 * BACKOFF_ONE ? delay - max(delay / 32, BACKOFF_ONE) : delay;
}

#endif /* LAB_BACKOFF_H */
