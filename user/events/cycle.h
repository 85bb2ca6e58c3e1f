/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cycles of three and more CPUs, seen while they last: the kernel ends them by
 * timeout, and by then their members have begun to leave.
 */
#ifndef RQSPIN_TRACE_CYCLE_H
#define RQSPIN_TRACE_CYCLE_H

#include <linux/types.h>

struct cycles;
struct heldtab;

struct cycles *cycles_open(struct heldtab *ht);
void cycles_close(struct cycles *c);

/*
 * Looks at all tables, at most every 20 ms. A cycle counts if a second look, 1 ms later, confirms
 * it.
 */
void cycles_sample(struct cycles *c);

/* Parties of the cycle in which the CPU was lately seen waiting for the lock, 0 if none. */
__u32 cycles_find(const struct cycles *c, __u32 cpu, __u64 lock);

#endif
