/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures that sources have lost: each once, whichever of them saw it. */
#ifndef RQSPIN_TRACE_LOST_H
#define RQSPIN_TRACE_LOST_H

#include <linux/types.h>
#include <stdbool.h>

#include "trace/losses.h"

struct join;
struct lineup;

/* How many; *unknown is set if there may be more. */
__u64 lost_count(const struct lineup *l, const struct join *j, bool *unknown);

/* As many, by what they were like. */
void lost_each(const struct lineup *l, struct join *j, loss_fn fn, void *ctx);

#endif
