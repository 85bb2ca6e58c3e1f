/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address ranges of maps, and the time in which each belonged to a map: memory of a removed map is
 * reused.
 */
#ifndef RQSPIN_NAMES_RANGES_H
#define RQSPIN_NAMES_RANGES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "mapaddr.h"

struct locktype;

/**
 * struct range - memory of one map
 * @at: address, and the part of the map
 * @type: type of the map's values, NULL if unknown
 * @asked: @type has been looked up
 * @born_ns: the range may belong to the map from here on: the latest look that did not find it
 * @seen_ns: latest look that found it
 * @gone_ns: first look that found it gone, 0: not yet
 * @reach: highest end of this and all earlier ranges in the order
 */
struct range {
	struct mapaddr at;
	struct locktype *type;
	bool asked;
	__u64 born_ns, seen_ns, gone_ns;
	__u64 reach;
};

struct ranges {
	struct range *items; /* by base */
	size_t nr;
	struct range *fresh; /* added since the last ranges_merge() */
	size_t nr_fresh;
};

/* Adds a range that belongs to the map since born_ns at the earliest. 0 or -ENOMEM. */
int ranges_add(struct ranges *rs, const struct mapaddr *at, __u64 born_ns);

/*
 * Merges the added ranges, as seen at now_ns. Older ranges with the same memory are marked as gone.
 * type is called for ranges not known before. 0, or -ENOMEM: nothing is merged.
 */
int ranges_merge(struct ranges *rs, __u64 now_ns,
		 struct locktype *(*type)(const struct mapaddr *at));

/* Marks the ranges of all maps whose ids are not in ids (ascending) as gone. */
void ranges_keep_maps(struct ranges *rs, const __u32 *ids, size_t nr, __u64 now_ns);

/*
 * The range of the address at when_ns (~0: now). Of several possible ranges, the only one for which
 * prefers(map_id) is true (prefers may be NULL). NULL if there is none, or if that is undecided.
 */
const struct range *ranges_find(const struct ranges *rs, __u64 addr, __u64 when_ns,
				bool (*prefers)(__u32 map_id, const void *ctx), const void *ctx);

/* The type of the map's values, from any of its ranges; NULL if unknown. */
const struct locktype *ranges_type(const struct ranges *rs, __u32 map_id);

void ranges_free(struct ranges *rs);

#endif
