// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/types.h>

#include "waits/sum.h"

void waits_sum_add(struct waits_sum *to, const struct waits_sum *s)
{
	to->count += s->count;
	to->failed += s->failed;
	to->total_ns += s->total_ns;
	if (to->max_ns < s->max_ns)
		to->max_ns = s->max_ns;
	for (int b = 0; b < WAITS_BUCKETS; b++)
		to->hist[b] += s->hist[b];
}
