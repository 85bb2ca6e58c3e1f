/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps with the same name in several objects. Their loader may pass one map to all of them by its
 * descriptor, which the objects do not show. They are assumed to be different maps.
 */
#ifndef RQSPIN_CHECK_ALIKE_H
#define RQSPIN_CHECK_ALIKE_H

#include "check/findings.h"
#include "check/progs.h"
#include "check/record.h"

/*
 * Add notes about maps that would be part of a cycle if those with one name were one map. 0 or
 * -ENOMEM.
 */
int alike_judge(struct check_set *set, const struct record *record, struct findings *f);

#endif
