/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures that sources have lost, each counted once for all sources. */
#ifndef RQSPIN_TRACE_LOST_H
#define RQSPIN_TRACE_LOST_H

#include <linux/types.h>
#include <stdbool.h>

#include "events/losses.h"

struct join;
struct lineup;

/* Number of lost failures; *unknown is set if there may be more. */
__u64 lost_count(const struct lineup *l, const struct join *j, bool *unknown);

/* The same of long waits. */
__u64 lost_waits(const struct lineup *l, bool *unknown);

/*
 * Passes the lost failures to fn in groups: the size of a group, and a failure like it. The sum is
 * that of lost_count().
 */
void lost_each(const struct lineup *l, struct join *j, loss_fn fn, void *ctx);

#endif
