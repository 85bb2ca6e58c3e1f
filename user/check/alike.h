/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps of one name in several objects. Their command may give all of them one map, by its
 * descriptor: nothing in the objects tells. They are taken for different ones.
 */
#ifndef RQSPIN_CHECK_ALIKE_H
#define RQSPIN_CHECK_ALIKE_H

#include "check/findings.h"
#include "check/progs.h"
#include "check/record.h"

/* Notes for maps that would be part of a cycle, if all of one name were one. 0 or -ENOMEM. */
int alike_judge(struct check_set *set, const struct record *record, struct findings *f);

#endif
