/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cycles of map operations: each CPU holds a lock inside a map and waits for one inside another. */
#ifndef RQSPIN_CHECK_MAPCYCLE_H
#define RQSPIN_CHECK_MAPCYCLE_H

#include "check/mapnest.h"

#define MAPCYCLE_LOOKS 2000000 /* links looked at in one search, at most */

/**
 * struct mapcycle - a cycle
 * @nests: @nr of them, each on the map of the lock that the one before wants
 */
struct mapcycle {
	const struct mapnest **nests;
	unsigned int nr;
};

/**
 * struct mapcycles - the cycles that were found
 * @spent: not all were searched for, as it takes too long
 */
struct mapcycles {
	struct mapcycle *all;
	size_t nr;
	bool spent;
};

/*
 * Add short cycles, no two of which have a map in common. object: if not NULL, only programs of
 * that file. 0 or -ENOMEM.
 */
int mapcycle_find(const struct check_set *set, const struct maplocks *kernel,
		  const struct mapnests *nests, const char *object, struct mapcycles *cycles);
void mapcycle_free(struct mapcycles *cycles);

#endif
