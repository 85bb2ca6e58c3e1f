/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cost of a wait: its duration, and how long its CPU has interrupts off. */
#ifndef LAB_WAITS_H
#define LAB_WAITS_H

#include "../../locks/locks.h"

/* A stretch with interrupts off may grow by this factor from 2 to 8 waiters. */
#define GROWTH 1.2

/*
 * Waiters come one after the other. Behind owners that hold the lock for long, all of them acquire
 * it, in the order of their calls if the lock keeps one. Behind an owner that stalls, each fails at
 * its own limit.
 */
bool waits_limits(const struct lab_ops *ops);
/* The longest stretches with interrupts off do not grow with the number of waiters. */
bool waits_sites(const struct lab_ops *ops);

#endif /* LAB_WAITS_H */
