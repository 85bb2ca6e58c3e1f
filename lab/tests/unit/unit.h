/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unit tests of the locks to compare with. */
#ifndef LAB_UNIT_H
#define LAB_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../threads/lib/team.h"
#include "../../locks/locks.h"

/**
 * struct unit_sum - how many tests there were, and how many failed
 */
struct unit_sum {
	int tests, failed;
};

void unit_exclusion(struct unit_sum *sum);
void unit_backoff(struct unit_sum *sum);
void unit_cna(struct unit_sum *sum);
void unit_vcpu(struct unit_sum *sum);
void unit_held(struct unit_sum *sum);
void unit_histogram(struct unit_sum *sum);
void unit_known(struct unit_sum *sum);
void unit_order(struct unit_sum *sum);

/**
 * unit_run() - run a group of tests and count them
 * @sum: counts so far
 * @tests: an array
 */
#define unit_run(sum, tests)                                                     \
	do {                                                                     \
		int failed_ = cmocka_run_group_tests(tests, NULL, NULL);         \
                                                                                 \
		(sum)->tests += ARRAY_SIZE(tests);                               \
		(sum)->failed += failed_ < 0 ? (int)ARRAY_SIZE(tests) : failed_; \
	} while (0)

#endif /* LAB_UNIT_H */
