/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_WAITS_SUM_H
#define RQSPIN_WAITS_SUM_H

#include "waits.h"

/* @s may be growing meanwhile. */
void waits_sum_add(struct waits_sum *to, const struct waits_sum *s);

#endif
