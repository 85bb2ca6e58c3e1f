/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a wait costs: its own time, and the interrupts of its CPU. */
#ifndef LAB_WAITS_H
#define LAB_WAITS_H

#include "../locks/locks.h"

/* A stretch with interrupts off may grow by so much from 2 to 8 waiters. */
#define GROWTH 1.2

/*
 * Waiters that come one after the other. Owners that hold the lock for long: all get it, in the
 * order in which they came, if there is one. An owner that stalls: each fails when its own limit is
 * over.
 */
bool waits_limits(const struct lab_ops *ops);
/* The longest stretches with interrupts off do not grow with the number of waiters. */
bool waits_sites(const struct lab_ops *ops);

#endif /* LAB_WAITS_H */
