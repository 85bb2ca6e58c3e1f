/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_DETECT_AWAY_H
#define LAB_DETECT_AWAY_H

#include "detect.h"

/* What the hypervisor has taken from all CPUs since they started, ns; 0 if it does not say. */
double stolen_ns(void);

/**
 * struct stint - what one thread did in a round, in cycles
 * @start: the round's beginning, as it saw that
 * @waits: others have to come before it calls
 * @call, @back: around the acquisition
 * @end: it owns nothing any more
 */
struct stint {
	u64 start, call, back, end;
	bool waits;
};

/*
 * Before its call, and between its verdict and the release, a thread executes a few instructions.
 * The longest that one of @n threads took for these, ns.
 */
double longest_absence(const struct stint *const stints[], int n);

#endif /* LAB_DETECT_AWAY_H */
