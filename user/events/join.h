/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Joins the reports of two sources about one failure. */
#ifndef RQSPIN_TRACE_JOIN_H
#define RQSPIN_TRACE_JOIN_H

#include "events/failure.h"

struct join;

struct join *join_open(failure_fn emit, void *ctx);
void join_close(struct join *j);

/* Takes ownership of f->report. wait: another source may report the failure, too. */
void join_push(struct join *j, const struct failure *f, bool wait);

/* Hands out the failures that were pushed, except those that still wait (all: these, too). */
void join_flush(struct join *j, bool all);

__u64 join_lost(const struct join *j);

/* Number of failures that a program reported but the kernel did not. */
__u64 join_alone(const struct join *j);

/*
 * Takes up to nr of those failures, with CPU, program and lock of like. Returns how many. They
 * cannot be taken again until all are put back.
 */
__u64 join_alone_take(struct join *j, const struct failure *like, __u64 nr);
void join_alone_put_back(struct join *j);

#endif
