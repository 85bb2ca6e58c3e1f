/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often what happened in the kernel's locks for virtual machines, for each CPU. */
#ifndef LAB_PV_COUNTS_H
#define LAB_PV_COUNTS_H

#include "shim.h"

enum pv_count {
	PV_COUNT_lock_slowpath = 1, /* acquired as head of the queue */
	PV_COUNT_pv_lock_stealing,  /* acquired past the queue */
	PV_COUNT_pv_wait_head,	    /* halts of a head */
	PV_COUNT_pv_wait_node,	    /* halts behind somebody, and */
	PV_COUNT_pv_wait_early,	    /* ... because that one does not run */
	PV_COUNT_pv_spurious_wakeup,
	PV_COUNT_pv_kick_unlock,
	PV_COUNTS,
};

DECLARE_PER_CPU_ALIGNED(u64, pv_counts[PV_COUNTS]);

/* Of all CPUs, since the start. */
u64 pv_count_sum(enum pv_count what);

#endif /* LAB_PV_COUNTS_H */
