/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do all programs take the locks of one map in one order? */
#ifndef RQSPIN_CHECK_JUDGE_ORDER_H
#define RQSPIN_CHECK_JUDGE_ORDER_H

#include "check/findings.h"
#include "check/record.h"

/* Report pairs of locks of one map that are taken in two orders. */
void judge_orders(const struct check_set *set, const struct record *record, struct findings *f);

#endif
