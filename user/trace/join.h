/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two sources may report one failure: make one failure of it. */
#ifndef RQSPIN_TRACE_JOIN_H
#define RQSPIN_TRACE_JOIN_H

#include "trace/failure.h"

struct join;

struct join *join_open(failure_fn emit, void *ctx);
void join_close(struct join *j);

/* Takes over f->report. wait: another source may report it too. */
void join_push(struct join *j, const struct failure *f, bool wait);

/* Hand out what was pushed, except what still waits (all: that too). */
void join_flush(struct join *j, bool all);

__u64 join_lost(const struct join *j);

/* Failures that a program reported and the kernel's report of which never came. */
__u64 join_alone(const struct join *j);
__u64 join_alone_of(const struct join *j, __u32 prog_id, __u64 lock);

#endif
