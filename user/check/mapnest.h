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
 * @map: of the operation below: its number
 * @lock: what is held, @wants: what is wanted
 * @nmi: the program on top interrupts the other
 * @own: its hook is in the code of maps alone, or on top of all that user space does
 * @next: the number of another one, and 1: only while they are collected
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

/* All that programs can do to each other, and user space to them. 0 or -ENOMEM. */
int mapnest_collect(const struct check_set *set, const struct maplocks *kernel,
		    const struct record *record, struct mapnests *nests);
void mapnest_free(struct mapnests *nests);

/* Both are about one map. */
bool mapnest_is_own(const struct check_set *set, const struct mapnest *n);

/* What happens where that is one lock. */
enum fate mapnest_fate(const struct check_set *set, const struct maplocks *kernel,
		       const struct mapnest *n);

/* The operation on top gives up at once, instead of waiting for another CPU. */
bool mapnest_tries(const struct maplocks *kernel, const struct mapnest *n);

/* What errors.tsv says about it, or NULL. */
const char *mapnest_returns(const struct check_set *set, const struct maplocks *kernel,
			    const struct mapnest *n);

#endif
