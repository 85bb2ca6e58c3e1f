/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_DETECT_AWAY_H
#define LAB_DETECT_AWAY_H

#include "detect.h"

/* CPU time that the hypervisor stole from all CPUs since boot, ns; 0 if it is not reported. */
double stolen_ns(void);

/**
 * struct stint - the times of one thread in a round, in cycles
 * @ready: when the thread last had nothing to wait for
 * @delay: its steal clock at @ready, ns
 * @start: when the thread began the round
 * @waits: the thread waits for others before @call
 * @call, @back: before and after the acquisition
 * @end: when the thread had released all its locks
 * @kept: ns since @ready in which the thread was runnable but not running; only set in long rounds
 */
struct stint {
	u64 ready, delay, start, call, back, end, kept;
	bool waits;
};

void stint_begin(struct stint *s);
/* Call it after @end is set. */
void stint_end(struct stint *s);

/*
 * Did one of @n threads hardly run although it was runnable all the time, in a round long enough
 * for others to give up? A thread that shares its CPU runs more than that, and a halted thread is
 * runnable for less.
 */
bool was_starved(const struct stint *const stints[], int n);

/*
 * The longest time, ns, that one of @n threads took for the few instructions before its call or
 * between its return and the release.
 */
double longest_absence(const struct stint *const stints[], int n);

#endif /* LAB_DETECT_AWAY_H */
