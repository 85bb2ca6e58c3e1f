// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "names/locktype.h"
#include "names/ranges.h"

#define KEEP_NS	   60000000000ULL /* how long the locks of a removed map keep their names */
#define OUTDONE_NS 3000000000ULL  /* the same if another map has the memory */

static __u64 end_of(const struct range *r)
{
	return r->at.base + r->at.size;
}

int ranges_add(struct ranges *rs, const struct mapaddr *at, __u64 born_ns)
{
	struct range fresh = { .at = *at, .born_ns = born_ns };

	return grow_append((void **)&rs->fresh, &rs->nr_fresh, &fresh, sizeof(fresh));
}

static int by_base(const void *a, const void *b)
{
	const struct mapaddr *x = &((const struct range *)a)->at;
	const struct mapaddr *y = &((const struct range *)b)->at;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return (x->map_id > y->map_id) - (x->map_id < y->map_id);
}

/* Merges old and fresh ranges, in order, with the same memory of the same map only once. */
static size_t ranges_merge_fresh(const struct ranges *rs, struct range *to, __u64 now_ns)
{
	size_t old = 0, new = 0, nr = 0;

	while (old < rs->nr || new < rs->nr_fresh) {
		int order = old == rs->nr	? 1 :
			    new == rs->nr_fresh ? -1 :
						  by_base(&rs->items[old], &rs->fresh[new]);
		struct range *r = &to[nr++];

		*r = order > 0 ? rs->fresh[new] : rs->items[old];
		if (order >= 0) {
			r->seen_ns = now_ns;
			r->gone_ns = 0;
			new ++;
		}
		old += order <= 0;
		while (new < rs->nr_fresh && !by_base(r, &rs->fresh[new]))
			new ++;
	}
	return nr;
}

/* True if by, a neighbour in the order, was seen now with memory of r, and r was not. */
static bool range_is_outdone(const struct range *r, const struct range *by, __u64 now_ns)
{
	return r->seen_ns != now_ns && by->seen_ns == now_ns && by->at.base < end_of(r) &&
	       r->at.base < end_of(by);
}

/* Ranges that were seen together do not overlap: comparing neighbours in the order is enough. */
static void mark_outdone(struct range *items, size_t nr, __u64 now_ns)
{
	const struct range *before = NULL, *after = NULL;

	for (size_t i = 0; i < nr; i++) {
		struct range *r = &items[i], *back = &items[nr - 1 - i];

		if (before && !r->gone_ns && range_is_outdone(r, before, now_ns))
			r->gone_ns = now_ns;
		if (after && !back->gone_ns && range_is_outdone(back, after, now_ns))
			back->gone_ns = now_ns;
		if (r->seen_ns == now_ns)
			before = r;
		if (back->seen_ns == now_ns)
			after = back;
	}
}

static bool range_is_outdated(const struct range *r, const struct range *next, __u64 now_ns)
{
	bool shared = next && next->at.base < end_of(r);

	return r->gone_ns && now_ns - r->gone_ns > (shared ? OUTDONE_NS : KEEP_NS);
}

static void ranges_tidy(struct ranges *rs, __u64 now_ns)
{
	size_t kept = 0;
	__u64 reach = 0;

	for (size_t i = 0; i < rs->nr; i++) {
		struct range *r = &rs->items[i];

		if (range_is_outdated(r, i + 1 < rs->nr ? r + 1 : NULL, now_ns)) {
			locktype_free(r->type);
			continue;
		}
		if (end_of(r) > reach)
			reach = end_of(r);
		r->reach = reach;
		rs->items[kept++] = *r;
	}
	rs->nr = kept;
}

int ranges_merge(struct ranges *rs, __u64 now_ns,
		 struct locktype *(*type)(const struct mapaddr *at))
{
	struct range *all = calloc(rs->nr + rs->nr_fresh + 1, sizeof(*all));

	if (!all) {
		rs->nr_fresh = 0;
		return -ENOMEM;
	}
	if (rs->nr_fresh)
		qsort(rs->fresh, rs->nr_fresh, sizeof(*rs->fresh), by_base);
	rs->nr = ranges_merge_fresh(rs, all, now_ns);
	free(rs->items);
	rs->items = all;
	rs->nr_fresh = 0;
	for (size_t i = 0; i < rs->nr; i++) {
		struct range *r = &all[i];

		if (!r->asked)
			r->type = type(&r->at);
		r->asked = true;
	}
	mark_outdone(all, rs->nr, now_ns);
	ranges_tidy(rs, now_ns);
	return 0;
}

static int by_id(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

void ranges_keep_maps(struct ranges *rs, const __u32 *ids, size_t nr, __u64 now_ns)
{
	for (size_t i = 0; i < rs->nr; i++) {
		struct range *r = &rs->items[i];

		if (!r->gone_ns && (!nr || !bsearch(&r->at.map_id, ids, nr, sizeof(*ids), by_id)))
			r->gone_ns = now_ns;
	}
}

/* The number of ranges that begin at or before the address. */
static size_t ranges_begun(const struct ranges *rs, __u64 addr)
{
	size_t low = 0, high = rs->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rs->items[mid].at.base <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool range_is_possible(const struct range *r, __u64 addr, __u64 when_ns)
{
	return addr < end_of(r) && when_ns >= r->born_ns && (!r->gone_ns || when_ns <= r->gone_ns);
}

const struct range *ranges_find(const struct ranges *rs, __u64 addr, __u64 when_ns,
				bool (*prefers)(__u32 map_id, const void *ctx), const void *ctx)
{
	const struct range *found = NULL, *preferred = NULL;
	unsigned int nr = 0, nr_preferred = 0;

	for (size_t i = ranges_begun(rs, addr); i-- > 0 && rs->items[i].reach > addr;) {
		const struct range *r = &rs->items[i];

		if (!range_is_possible(r, addr, when_ns))
			continue;
		found = r;
		nr++;
		if (prefers && prefers(r->at.map_id, ctx)) {
			preferred = r;
			nr_preferred++;
		}
	}
	if (nr_preferred == 1)
		return preferred;
	return nr == 1 ? found : NULL;
}

const struct locktype *ranges_type(const struct ranges *rs, __u32 map_id)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (rs->items[i].at.map_id == map_id && rs->items[i].type)
			return rs->items[i].type;
	return NULL;
}

void ranges_free(struct ranges *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		locktype_free(rs->items[i].type);
	free(rs->items);
	free(rs->fresh);
}
