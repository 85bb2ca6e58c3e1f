/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program may write anything into its own ring. */
#ifndef RQSPIN_SOURCES_EVENT_VALID_H
#define RQSPIN_SOURCES_EVENT_VALID_H

#include <linux/types.h>
#include <stdbool.h>

struct rqspin_event;

/* Can a failure up to now have left this record? now_ns: CLOCK_MONOTONIC */
bool event_valid(const struct rqspin_event *ev, __u64 now_ns);

#endif
