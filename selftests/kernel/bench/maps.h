/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_MAPS_H
#define BENCH_MAPS_H

#define MAPS_KEY_BITS 12
/* Twice the keys: no updater finds the map full because another CPU has the last element. */
#define MAPS_ENTRIES (2 << MAPS_KEY_BITS)
/* Updates of one run of a program: one RCU section, so not too many. */
#define MAPS_BATCH 1000

#endif
