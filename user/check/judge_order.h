/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks of one map: taken in one order by all programs? */
#ifndef RQSPIN_CHECK_JUDGE_ORDER_H
#define RQSPIN_CHECK_JUDGE_ORDER_H

#include "check/findings.h"
#include "check/record.h"

/* Two locks of one map that are compared in two ways. */
void judge_orders(const struct check_set *set, const struct record *record, struct findings *f);

#endif
