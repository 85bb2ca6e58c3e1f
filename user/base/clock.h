/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's clocks. Those of a time namespace are ahead of them, or behind. */
#ifndef RQSPIN_BASE_CLOCK_H
#define RQSPIN_BASE_CLOCK_H

#include <linux/types.h>

__u64 now_ns(void);	 /* CLOCK_MONOTONIC, as BPF's bpf_ktime_get_ns() has it */
__u64 now_boot_ns(void); /* CLOCK_BOOTTIME, in which programs are born */

static inline double now_s(void)
{
	return now_ns() / 1e9;
}

/* What clock_gettime(CLOCK_MONOTONIC) shows more than now_s(): for what waits until then. */
double clock_ahead_s(void);

/* Of a line of /proc/self/timens_offsets: "monotonic  1000  500000000". For tests, too. */
long long clock_offset(const char *line, const char *name);

#endif
