/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which programs of an object can be loaded, found out by trying. */
#ifndef RQSPIN_CHECK_ATTEMPT_H
#define RQSPIN_CHECK_ATTEMPT_H

#include "check/object.h"
#include "check/refused.h"

/*
 * Load all of the object's programs that can be loaded. The others are off afterwards, with the
 * reason in @refusals. Each attempt leaves out what made the last one fail, so the number of
 * programs, maps and members of struct_ops limits that of attempts. 0 or -errno: nothing is loaded.
 */
int attempt_all(struct object *o, struct refusals *refusals);

#endif
