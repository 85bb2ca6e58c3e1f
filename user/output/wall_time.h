/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_SHOW_WALL_TIME_H
#define RQSPIN_SHOW_WALL_TIME_H

#include <stdbool.h>

/* CLOCK_MONOTONIC nanoseconds as UTC "2026-11-21T12:00:00.123456Z", or local "12:00:00.123456". */
void wall_time(unsigned long long ns, bool iso, char buf[40]);

#endif
