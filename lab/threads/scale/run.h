/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_SCALE_RUN_H
#define LAB_SCALE_RUN_H

#include "scale.h"

/**
 * struct run_options - what all runs have in common
 * @seconds: length of the measurement
 * @warm_up: seconds before the measurement, not counted
 * @folder: where the files are
 */
struct run_options {
	double seconds, warm_up;
	const char *folder;
};

/**
 * struct run_result - operations per second
 * @per_second: of all threads
 * @least: of the slowest
 * @most: of the fastest
 */
struct run_result {
	double per_second, least, most;
};

/* Exits with a message if the machine does not allow the test; leaves no file behind. */
void run_test(const struct test *test, int threads, const struct run_options *o,
	      struct run_result *result);

#endif /* LAB_SCALE_RUN_H */
