/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The result of a check, for the views that print it. */
#ifndef RQSPIN_CHECK_RESULT_H
#define RQSPIN_CHECK_RESULT_H

#include "check/bounds.h"
#include "check/findings.h"
#include "check/load.h"
#include "check/mapnest.h"
#include "check/record.h"

struct check_result {
	struct check_set set;
	struct refusals refusals;
	struct record record;
	struct findings findings;
	struct maplocks maplocks; /* of the kernel to judge for: set by the caller */
	struct mapnests nests;
	struct bounds *bounds; /* of each program of the set */
};

/* Walk through the programs of the set and judge. 0 or -errno, after printing why. */
int check_all(struct check_result *r);
void check_result_free(struct check_result *r);

#endif
