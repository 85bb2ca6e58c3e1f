/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Circles of operations: each CPU holds a lock inside one map and waits for one inside another. */
#ifndef RQSPIN_CHECK_MAPCYCLE_H
#define RQSPIN_CHECK_MAPCYCLE_H

#include "check/mapnest.h"

#define MAPCYCLE_LOOKS 2000000 /* links looked at in one search: an end to what is too large */

/**
 * struct mapcycle - a circle
 * @nests: @nr of them, each on the map that the one before wants
 */
struct mapcycle {
	const struct mapnest **nests;
	unsigned int nr;
};

/**
 * struct mapcycles - those that were found
 * @spent: others were not looked for: it takes too long
 */
struct mapcycles {
	struct mapcycle *all;
	size_t nr;
	bool spent;
};

/*
 * Adds short circles, no two of which have a map in common. object: of the programs of that file
 * alone, if not NULL. 0 or -ENOMEM.
 */
int mapcycle_find(const struct check_set *set, const struct maplocks *kernel,
		  const struct mapnests *nests, const char *object, struct mapcycles *cycles);
void mapcycle_free(struct mapcycles *cycles);

#endif
