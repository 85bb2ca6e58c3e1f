/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's clocks. The clocks of a time namespace are ahead of them, or behind. */
#ifndef RQSPIN_BASE_CLOCK_H
#define RQSPIN_BASE_CLOCK_H

#include <linux/types.h>

__u64 now_ns(void);	 /* CLOCK_MONOTONIC, as bpf_ktime_get_ns() in BPF */
__u64 now_boot_ns(void); /* CLOCK_BOOTTIME, the clock of a program's load_time */

static inline double now_s(void)
{
	return now_ns() / 1e9;
}

/*
 * How far clock_gettime(CLOCK_MONOTONIC) is ahead of now_s(): for sleeping until a time of now_s().
 */
double clock_ahead_s(void);

/*
 * The offset in ns in a line of /proc/self/timens_offsets, 0 if the line is not about the clock
 * name: "monotonic 1000 500000000". For tests, too.
 */
long long clock_offset(const char *line, const char *name);

#endif
