/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What operations of maps on top of others come to: findings. */
#ifndef RQSPIN_CHECK_JUDGE_MAPS_H
#define RQSPIN_CHECK_JUDGE_MAPS_H

#include "check/findings.h"
#include "check/mapnest.h"

/* One lock that is held below; then circles of several. 0 or -ENOMEM. */
int judge_maps(const struct check_set *set, const struct maplocks *kernel,
	       const struct mapnests *nests, struct findings *f);

#endif
