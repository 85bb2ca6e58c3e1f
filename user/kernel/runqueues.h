/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the kernel's per-CPU run queues are: they lead to the task that runs on another CPU. */
#ifndef RQSPIN_KERNEL_RUNQUEUES_H
#define RQSPIN_KERNEL_RUNQUEUES_H

#include <linux/types.h>

#include "held.h"

/* Addresses of all CPUs' run queues, 0 for CPUs that are not there; -errno if none is known. */
int runqueues_find(__u64 addrs[HELD_CPUS]);

#endif
