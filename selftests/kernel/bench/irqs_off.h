/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the programs and the driver that measure how long interrupts are off. */
#ifndef BENCH_IRQS_OFF_H
#define BENCH_IRQS_OFF_H

#include "../../../lab/threads/lib/histogram.h"

#define IRQS_OFF_CPUS	64
#define IRQS_OFF_HOLD	1000 /* rounds of a loop, with the lock held */
#define IRQS_OFF_RANGES 16
#define IRQS_OFF_SITES	32 /* instructions that turn interrupts off */

/* Code of the lock: from its first byte to the one behind it. */
struct irqs_off_range {
	__u64 from, to;
};

struct irqs_off_site {
	__u64 ip; /* address of the next instruction */
	struct histogram times;
};

#endif
