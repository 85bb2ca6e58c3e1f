/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Conditional jumps: which ways can be taken, and what is known on them. */
#ifndef RQSPIN_CHECK_BRANCH_H
#define RQSPIN_CHECK_BRANCH_H

#include "check/step.h"

/* Let st take the jump, or not. False: that is impossible on this path. */
bool branch_take(const struct stepper *s, struct state *st, bool taken);

#endif
