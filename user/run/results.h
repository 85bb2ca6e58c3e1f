/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each role of a run counted. */
#ifndef RQSPIN_RUN_RESULTS_H
#define RQSPIN_RUN_RESULTS_H

#include <stdbool.h>

#include "run/driver.h"

struct sample_stats;

struct role_result {
	struct counts counts;
	struct hist ok, fail;
};

/* One per role: from the programs' own counters, or from return values if stats is NULL. */
void results_collect(struct role_result *results, const struct drive *d,
		     const struct sample_stats *stats);

/* Do programs of several roles count in the same place? Then only return values tell them apart. */
bool results_shared(const struct drive *d);

struct counts results_total(const struct role_result *results, unsigned int nr);

#endif
