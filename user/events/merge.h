/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two reports of different sources: can they be of one failure, and what does one add to the other?
 */
#ifndef RQSPIN_TRACE_MERGE_H
#define RQSPIN_TRACE_MERGE_H

#include <linux/types.h>
#include <stdbool.h>

#include "events/failure.h"

/*
 * Can both be reports of one failure? f: the one of the source with the higher rank. Data that one
 * of them lacks does not make them differ.
 */
bool merge_possible(const struct failure *f, const struct failure *other);

/*
 * A program's own report has the time before its first lock. A report of the kernel from before
 * that time, or after the thread's next such time (until), is of another failure. Reports may be
 * missing.
 */
bool merge_in_scope(const struct failure *f, __u64 until, const struct failure *report);

/* Adds the data that from has and to lacks. Moves report and program, too, if to has none. */
void merge_add(struct failure *to, struct failure *from);

#endif
