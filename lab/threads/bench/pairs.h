/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Acquisitions and releases without contention. */
#ifndef LAB_BENCH_PAIRS_H
#define LAB_BENCH_PAIRS_H

#include <jansson.h>

/* Prints a table and returns its figures. */
json_t *bench_pairs(int rounds);

#endif /* LAB_BENCH_PAIRS_H */
