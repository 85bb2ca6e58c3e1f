/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists and trees under resilient locks, on a kernel that does not free them. */
#ifndef RQSPIN_CHECK_LEAK_H
#define RQSPIN_CHECK_LEAK_H

#include "check/calls.h"
#include "check/findings.h"
#include "check/record.h"

/* Note the program's first call that adds to a list, and to a tree. Call it after the walk. */
void leak_tell(const struct check_set *set, __u32 prog, struct calls *calls,
	       const struct record *record, struct findings *f);

#endif
