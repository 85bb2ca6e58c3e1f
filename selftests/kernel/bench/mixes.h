/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_MIXES_H
#define BENCH_MIXES_H

#define MIXES_BATCH    1024
#define MIXES_KEY_BITS 10
#define MIXES_ENTRIES  (2 << MIXES_KEY_BITS)

#endif
