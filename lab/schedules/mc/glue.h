/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MC_GLUE_H
#define MC_GLUE_H

#include "kernel/bpf/rqspinlock.h"
#include "mc.h"

struct mc_lock {
	rqspinlock_t lock;
} __attribute__((aligned(64)));

extern struct mc_lock mc_locks[MC_LOCKS];

#endif /* MC_GLUE_H */
