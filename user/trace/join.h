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

/*
 * Take up to nr of those: of that CPU, program and lock. What was taken cannot be taken again,
 * until all is put back.
 */
__u64 join_alone_take(struct join *j, const struct failure *like, __u64 nr);
void join_alone_put_back(struct join *j);

#endif
