/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verdicts on figures, shared by all benchmarks. */
#ifndef LAB_BENCH_FIGURES_H
#define LAB_BENCH_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

#include "../lib/known.h"
#include "../lib/stat.h"

#define BENCH_MAX_LOCKS 32

json_t *bench_median_json(const struct lab_median *m);
/* Prints one verdict: is @got (a ratio) at least or at most @want, or as known for this CPU? */
void bench_target(const char *what, double got, bool at_least, double want);
/* Adds a failure for each known miss of this CPU that was no target of this run. */
void bench_known_are_judged(void);
extern int bench_passed, bench_failed, bench_expected;

#endif /* LAB_BENCH_FIGURES_H */
