/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which contexts programs run, and who can interrupt whom on one CPU. */
#ifndef RQSPIN_CHECK_CONTEXT_H
#define RQSPIN_CHECK_CONTEXT_H

#include "check/findings.h"
#include "check/record.h"

/* Find locks that a program holds while another program, which takes them, may interrupt it. */
void context_judge(const struct check_set *set, const struct record *record, struct findings *f);

#endif
