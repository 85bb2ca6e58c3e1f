/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each role of a run counted. */
#ifndef RQSPIN_RUN_RESULTS_H
#define RQSPIN_RUN_RESULTS_H

#include <stdbool.h>

#include "run/driver.h"

struct counted_calls;
struct sample_stats;

/**
 * enum counted_by - what counts acquisitions and failures
 * @COUNTED_BY_PROGRAM: the programs themselves, with the counters of sample.h
 * @COUNTED_BY_RETURN: what programs return, which these declare
 * @COUNTED_BY_CALLS: the calls of the lock functions
 * @COUNTED_BY_NONE: nothing can
 */
enum counted_by { COUNTED_BY_PROGRAM, COUNTED_BY_RETURN, COUNTED_BY_CALLS, COUNTED_BY_NONE };

/**
 * struct role_result - what a role counted
 * @counts: acquisitions and failures; nothing with COUNTED_BY_NONE
 * @ok: how long successes took
 * @fail: how long failures took
 * @run: how long whole runs took, whatever they returned
 */
struct role_result {
	struct counts counts;
	struct hist ok, fail, run;
};

/**
 * struct results_from - where the counts are
 * @by: which of the following members is used
 * @stats: SAMPLE_CPUS of them
 * @calls: one per role
 */
struct results_from {
	enum counted_by by;
	const struct sample_stats *stats;
	const struct counted_calls *const *calls;
};

/* One per role. */
void results_collect(struct role_result *results, const struct drive *d,
		     const struct results_from *from);

/* Do programs of several roles count in the same place? Then only return values differ per role. */
bool results_shared(const struct drive *d);

struct counts results_total(const struct role_result *results, unsigned int nr);

#endif
