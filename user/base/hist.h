/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Latency histograms with the buckets of bpf/progs/sample.h. */
#ifndef RQSPIN_BASE_HIST_H
#define RQSPIN_BASE_HIST_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "progs/sample.h"

struct hist {
	uint64_t total;
	uint64_t buckets[SAMPLE_BUCKETS];
};

struct percentiles {
	uint64_t p50, p90, p99, max; /* ns, upper edge of the bucket: at most 1/16 too high */
};

void hist_add(struct hist *h, uint64_t ns);
void hist_merge(struct hist *h, const uint32_t buckets[SAMPLE_BUCKETS]);
void hist_merge_hist(struct hist *h, const struct hist *other);

/* Smallest upper edge below which a fraction q of the values lie; 0 if there are none. */
uint64_t hist_quantile(const struct hist *h, double q);
bool hist_percentiles(const struct hist *h, struct percentiles *p); /* false: no values */

#endif
