/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_DETECT_AWAY_H
#define LAB_DETECT_AWAY_H

#include "detect.h"

/* What the hypervisor has taken from all CPUs since they started, ns; 0 if it does not say. */
double stolen_ns(void);

/**
 * struct stint - what one thread did in a round, in cycles
 * @ready, @delay: when it last had nothing to wait for, and how long it had been kept off, ns
 * @start: the round's beginning, as it saw that
 * @waits: others have to come before it calls
 * @call, @back: around the acquisition
 * @end: it owns nothing any more
 * @kept: ns since @ready in which it could not run; known of long rounds only
 */
struct stint {
	u64 ready, delay, start, call, back, end, kept;
	bool waits;
};

void stint_begin(struct stint *s);
/* After @end is set. */
void stint_end(struct stint *s);

/*
 * Did one of @n threads hardly run, though it wanted to all the time, in a round that was long
 * enough for others to give up? Who takes turns runs more than that, and who halts wants less.
 */
bool was_starved(const struct stint *const stints[], int n);

/*
 * Before its call, and between its verdict and the release, a thread executes a few instructions.
 * The longest that one of @n threads took for these, ns.
 */
double longest_absence(const struct stint *const stints[], int n);

#endif /* LAB_DETECT_AWAY_H */
