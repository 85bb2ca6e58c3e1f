/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_CONVOY_H
#define BENCH_CONVOY_H

/* Acquisitions of one run of the program: far below what a system call costs. */
#define CONVOY_BATCH 64

/* One of so many acquisitions is timed. */
#define CONVOY_TIMED 16

/* Turns of a loop under the lock, and as many beside it, in "calls": 1 to 2 us on real hardware. */
#define CONVOY_TURNS 1024

#endif
