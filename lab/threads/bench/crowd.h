/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* More threads than CPUs contend for one lock: a virtual machine whose CPUs are shared. */
#ifndef LAB_BENCH_CROWD_H
#define LAB_BENCH_CROWD_H

#include <jansson.h>

/* Prints a table and returns its figures. */
json_t *bench_crowd(int rounds);

#endif /* LAB_BENCH_CROWD_H */
