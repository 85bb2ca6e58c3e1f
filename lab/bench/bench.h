/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include <jansson.h>

#include "../lib/stat.h"

#define BENCH_MAX_LOCKS 16

/* Each prints its table and returns what it found; targets are counted by bench_target(). */
json_t *bench_pairs(int rounds);
json_t *bench_contend(int rounds);

json_t *bench_median_json(const struct lab_median *m);
/* One line of verdict: is @got (a ratio) at least or at most @want? */
void bench_target(const char *what, double got, bool at_least, double want);

#endif /* LAB_BENCH_H */
