/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the outcome of a run match what its sample announces? */
#ifndef RQSPIN_RUN_OUTCOME_H
#define RQSPIN_RUN_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counts;
struct plan;
struct role_result;

/*
 * Compares the counts of all roles together with @expect: terms NAME=N or NAME>=N separated by
 * blanks, N per round, NAME one or a sum of ok, EDEADLK, ETIMEDOUT, other (EDEADLK+ETIMEDOUT>=1). A
 * failure that is in no term must not occur. On a mismatch, @why gets what differs.
 */
bool outcome_check(const char *expect, const struct counts *c, uint64_t rounds, char *why,
		   size_t size);

/* The same for a sample that ran. In addition, no run may return an error that was not counted. */
bool outcome_judge(const struct plan *p, const struct role_result *results, char *why, size_t size);

#endif
