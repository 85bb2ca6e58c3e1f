// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Upstream's resilient lock, from a later kernel's source that `make lab-upstream` fetches.
 * Compiled with that kernel's headers, so what res_spin_lock() means here is theirs. Empty without
 * them.
 */
#ifdef LAB_UPSTREAM
#include "locks.h"

bool shim_upstream_tas;

#define LAB_ID		 upstream
#define LAB_NAME	 "upstream"
#define LAB_ABOUT	 "upstream's resilient queue, unchanged"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_RIVAL)
#define LAB_INIT(l)	 (shim_upstream_tas = false)
#define LAB_LOCK(l, c)	 res_spin_lock(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "loops.h"

#define LAB_ID		 upstream_tas
#define LAB_NAME	 "upstream-tas"
#define LAB_ABOUT	 "upstream's where nothing queues, unchanged"
#define LAB_FLAGS	 (LAB_RESILIENT | LAB_RIVAL | LAB_UNORDERED)
#define LAB_INIT(l)	 (shim_upstream_tas = true)
#define LAB_LOCK(l, c)	 res_spin_lock(&(l)->res)
#define LAB_UNLOCK(l, c) res_spin_unlock(&(l)->res)
#include "loops.h"
#endif /* LAB_UPSTREAM */
