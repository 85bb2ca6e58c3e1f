/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings about map operations on top of others. */
#ifndef RQSPIN_CHECK_JUDGE_MAPS_H
#define RQSPIN_CHECK_JUDGE_MAPS_H

#include "check/findings.h"
#include "check/mapnest.h"

/*
 * Judge operations that want a lock that is held below them, then cycles of several locks. 0 or
 * -ENOMEM.
 */
int judge_maps(const struct check_set *set, const struct maplocks *kernel,
	       const struct mapnests *nests, struct findings *f);

#endif
