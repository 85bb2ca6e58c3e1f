/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all benchmarks do with a figure. */
#ifndef LAB_BENCH_FIGURES_H
#define LAB_BENCH_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

#include "../lib/stat.h"

#define BENCH_MAX_LOCKS 32

json_t *bench_median_json(const struct lab_median *m);
/* One line of verdict: is @got (a ratio) at least or at most @want? */
void bench_target(const char *what, double got, bool at_least, double want);
extern int bench_passed, bench_failed;

#endif /* LAB_BENCH_FIGURES_H */
