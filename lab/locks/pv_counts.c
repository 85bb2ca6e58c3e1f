// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pv_counts.h"

DEFINE_PER_CPU_ALIGNED(u64, pv_counts[PV_COUNTS]);

u64 pv_count_sum(enum pv_count what)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) sum += READ_ONCE(per_cpu(pv_counts[what], cpu));
	return sum;
}
