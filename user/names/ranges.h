/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address ranges of maps, and when each was whose: memory of a map that is gone is used again. */
#ifndef RQSPIN_NAMES_RANGES_H
#define RQSPIN_NAMES_RANGES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "mapaddr.h"

struct locktype;

/**
 * struct range - memory of one map
 * @at: where, and what of the map
 * @type: of its values, NULL if unknown
 * @born_ns: it may be the map's from here on: the latest look that did not find it
 * @seen_ns: latest look that found it
 * @gone_ns: first look that found it gone, 0: not yet
 * @reach: no range up to here in the order ends later
 */
struct range {
	struct mapaddr at;
	struct locktype *type;
	bool asked; /* for its type */
	__u64 born_ns, seen_ns, gone_ns;
	__u64 reach;
};

struct ranges {
	struct range *items; /* by base */
	size_t nr;
	struct range *fresh; /* added since the last ranges_merge() */
	size_t nr_fresh, room;
};

/* At is the map's since born_ns at the earliest. 0 or -ENOMEM. */
int ranges_add(struct ranges *rs, const struct mapaddr *at, __u64 born_ns);

/*
 * Take in what was added, as seen at now_ns; whatever has the same memory is gone. type is asked
 * for ranges not known before. 0 or -ENOMEM, then nothing is taken in.
 */
int ranges_merge(struct ranges *rs, __u64 now_ns,
		 struct locktype *(*type)(const struct mapaddr *at));

/* Of the maps that are not among ids (ascending) the ranges are gone. */
void ranges_keep_maps(struct ranges *rs, const __u32 *ids, size_t nr, __u64 now_ns);

/*
 * Whose was the address then (~0: now)? Of several that it may have been the one for which
 * prefers(map_id) is true (NULL: none). NULL if nobody's, or if that cannot be told.
 */
const struct range *ranges_find(const struct ranges *rs, __u64 addr, __u64 when_ns,
				bool (*prefers)(__u32 map_id, const void *ctx), const void *ctx);

/* The type that a range of the map has, NULL if none does. */
const struct locktype *ranges_type(const struct ranges *rs, __u32 map_id);

void ranges_free(struct ranges *rs);

#endif
