/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two reports, of different sources: are they of one failure, and what does one add to the other?
 */
#ifndef RQSPIN_TRACE_MERGE_H
#define RQSPIN_TRACE_MERGE_H

#include <linux/types.h>
#include <stdbool.h>

#include "trace/failure.h"

/*
 * Can both be of one failure? f: of the source of higher rank. Unless told otherwise, what one of
 * the two does not know cannot make them differ.
 */
bool merge_possible(const struct failure *f, const struct failure *other);

/*
 * A program's own report has the time before its first lock: what the kernel told before that, or
 * after the thread's next such time (until), is of another failure. Reports may be missing.
 */
bool merge_in_scope(const struct failure *f, __u64 until, const struct failure *report);

/* Adds what from knows and to does not, and takes over report and program where they lack. */
void merge_add(struct failure *to, struct failure *from);

#endif
