/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which contexts programs run, and who can interrupt whom on one CPU. */
#ifndef RQSPIN_CHECK_CONTEXT_H
#define RQSPIN_CHECK_CONTEXT_H

#include "check/findings.h"
#include "check/record.h"

/* Locks that a program takes which may interrupt another one that holds them. */
void context_judge(const struct check_set *set, const struct record *record, struct findings *f);

#endif
