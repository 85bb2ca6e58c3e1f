/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Circles of operations: each CPU holds a lock inside one map and waits for one inside another. */
#ifndef RQSPIN_CHECK_MAPCYCLE_H
#define RQSPIN_CHECK_MAPCYCLE_H

#include "check/mapnest.h"

#define MAPCYCLE_MAX 8 /* maps in a circle */

struct mapcycle {
	const struct mapnest *nests[MAPCYCLE_MAX];
	unsigned int nr;
};

struct mapcycles {
	struct mapcycle *all;
	size_t nr;
};

/*
 * Adds short circles, no two of which have a map in common. object: of the programs of that file
 * alone, if not NULL. 0 or -ENOMEM.
 */
int mapcycle_find(const struct check_set *set, const struct maplocks *kernel,
		  const struct mapnests *nests, const char *object, struct mapcycles *cycles);

#endif
