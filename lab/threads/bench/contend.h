/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two threads, each on a CPU of its own, contend for one lock. */
#ifndef LAB_BENCH_CONTEND_H
#define LAB_BENCH_CONTEND_H

#include <jansson.h>

/* Prints a table and returns its figures. */
json_t *bench_contend(int rounds);

#endif /* LAB_BENCH_CONTEND_H */
