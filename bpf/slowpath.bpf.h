/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a wait one for a resilient lock? The contention tracepoints tell of all kinds of locks. */
#ifndef RQSPIN_SLOWPATH_BPF_H
#define RQSPIN_SLOWPATH_BPF_H

#include "slowpath.h"

#define SLOWPATH_SPIN 1 /* LCB_F_SPIN, and nothing else: no reader, no mutex */

const volatile struct slowpath slow[SLOWPATHS];

/* A stack with one of these functions is about such a lock. */
static __always_inline bool slowpath_on(const __u64 *ips)
{
	int i;

	for (i = 0; i < SLOWPATH_FRAMES; i++)
		for (int k = 0; k < SLOWPATHS; k++)
			if (ips[i] >= slow[k].start && ips[i] < slow[k].end)
				return true;
	return false;
}

#endif
