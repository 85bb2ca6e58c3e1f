/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations of maps on top of others that hold a lock inside a map. */
#ifndef RQSPIN_CHECK_MAPNEST_H
#define RQSPIN_CHECK_MAPNEST_H

#include "check/record.h"
#include "kernel/maplocks.h"

/* What becomes of an operation whose lock is held below it, on the same CPU. */
enum fate { FATE_NONE, FATE_FAILS, FATE_HANGS };

/**
 * struct mapnest - an operation on top of another one
 * @outer: below; NULL: user space does it
 * @inner: on top, perhaps of another map
 * @map: number of the map of the operation below
 * @lock: the lock that is held below, @wants: the lock that @inner wants
 * @nmi: the program on top interrupts the other
 * @own: the hook of the program on top is in map code alone, or on top of all that user space does
 * @next: 1 plus the number of another nest with the same hash; used only while nests are collected
 */
struct mapnest {
	const struct use *outer, *inner;
	__u32 map;
	enum maplock lock, wants;
	bool nmi, own;
	__u32 next;
};

struct mapnests {
	struct mapnest *all;
	size_t nr;
};

/* Collect nests between programs, and those with user space below. 0 or -ENOMEM. */
int mapnest_collect(const struct check_set *set, const struct maplocks *kernel,
		    const struct record *record, struct mapnests *nests);
void mapnest_free(struct mapnests *nests);

/* Are both operations on one map? */
bool mapnest_is_own(const struct check_set *set, const struct mapnest *n);

/* What happens if the lock that is wanted is the one that is held? */
enum fate mapnest_fate(const struct check_set *set, const struct maplocks *kernel,
		       const struct mapnest *n);

/* Does the operation on top give up at once, instead of waiting for another CPU? */
bool mapnest_tries(const struct maplocks *kernel, const struct mapnest *n);

/* The text of errors.tsv about the operation on top, or NULL. */
const char *mapnest_returns(const struct check_set *set, const struct maplocks *kernel,
			    const struct mapnest *n);

#endif
