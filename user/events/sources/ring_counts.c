// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "names/proginfo.h"
#include "events/sources/event_valid.h"
#include "events/sources/ring_counts.h"
#include "events/failure.h"

#define TRIES 3 /* give up: failures come faster than counts are read */

void ring_counts_over(struct ring_counts *c, const struct rqspin_ring *ring, __u64 nr)
{
	c->ring = ring;
	c->groups = (const void *)(ring->slots + nr);
}

static bool ring_counts_read(struct ring_counts *c, __u64 *head)
{
	const struct rqspin_ring *ring = c->ring;
	__u64 sum;

	*head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	sum = __atomic_load_n(&ring->others, __ATOMIC_RELAXED);
	c->others_unasked = __atomic_load_n(&ring->others_unasked, __ATOMIC_RELAXED);
	for (int i = 0; i < RQSPIN_RING_GROUPS; i++) {
		c->counts[i] = __atomic_load_n(&c->groups[i].count, __ATOMIC_RELAXED);
		sum += c->counts[i];
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return sum == *head && __atomic_load_n(&ring->head, __ATOMIC_RELAXED) == *head;
}

bool ring_counts_look(struct ring_counts *c, __u64 *head)
{
	for (int i = 0; i < TRIES; i++)
		if (ring_counts_read(c, head))
			return true;
	return false;
}

void ring_counts_skip(struct ring_counts *c)
{
	memcpy(c->seen, c->counts, sizeof(c->seen));
	c->others_seen = c->others_unasked;
}

bool ring_counts_unasked(const struct rqspin_event *ev)
{
	return ev->wait_ns != WAIT_UNKNOWN;
}

void ring_counts_saw(struct ring_counts *c, const struct rqspin_event *ev)
{
	if (ev->group && ev->group <= RQSPIN_RING_GROUPS)
		c->seen[ev->group - 1]++;
	else
		c->others_seen += ring_counts_unasked(ev);
}

/* The task is unknown: a group counts all failures that are alike. */
static void event_of(const struct rqspin_group *g, struct rqspin_event *ev)
{
	*ev = (struct rqspin_event){
		.ts_ns = g->ts_ns,
		.wait_ns = ~0ULL,
		.lock = g->lock,
		.err = g->err,
		.kind = g->kind,
		.parties = g->parties,
		.cpu = g->cpu,
		.owner_cpu = -1,
		.owner_tid = RQSPIN_TID_UNKNOWN,
		.line = g->line,
		.nr_held = RQSPIN_HELD_UNKNOWN,
		.nr_owner_held = RQSPIN_HELD_UNKNOWN,
	};
	memcpy(ev->prog, g->prog, sizeof(ev->prog));
	memcpy(ev->file, g->file, sizeof(ev->file));
}

/* A failure like those of the group. NULL: the group is not valid, or out of memory. */
static struct failure *like_of(const struct rqspin_group *g, ring_like_fn complete, void *ctx)
{
	struct failure *like = calloc(1, sizeof(*like));

	if (!like)
		return NULL;
	event_of(g, &like->ev);
	if (!event_valid(&like->ev, now_ns())) {
		free(like);
		return NULL;
	}
	like->unasked = g->unasked;
	complete(like, ctx);
	proginfo_get(like->prog);
	return like;
}

static void make_likes(struct ring_counts *c, ring_like_fn complete, void *ctx)
{
	__u32 used = __atomic_load_n(&c->ring->groups_used, __ATOMIC_ACQUIRE);

	if (used == c->used)
		return;
	c->used = used;
	for (int i = 0; i < RQSPIN_RING_GROUPS; i++) {
		const struct rqspin_group *g = &c->groups[i];

		if (!c->likes[i] && __atomic_load_n(&g->ready, __ATOMIC_ACQUIRE))
			c->likes[i] = like_of(g, complete, ctx);
	}
}

static __u64 count_more(__u64 count, __u64 seen)
{
	return count > seen ? count - seen : 0;
}

void ring_counts_settle(struct ring_counts *c, ring_like_fn complete, void *ctx)
{
	c->lost_unasked = count_more(c->others_unasked, c->others_seen);
	for (int i = 0; i < RQSPIN_RING_GROUPS; i++) {
		c->lost[i] = count_more(c->counts[i], c->seen[i]);
		if (c->groups[i].unasked)
			c->lost_unasked += c->lost[i];
	}
	make_likes(c, complete, ctx);
}

__u64 ring_counts_losses(const struct ring_counts *c, __u64 lost, loss_fn fn, void *ctx)
{
	for (int i = 0; i < RQSPIN_RING_GROUPS && lost; i++) {
		__u64 nr = c->lost[i] < lost ? c->lost[i] : lost;

		if (!nr || !c->likes[i])
			continue;
		fn(c->likes[i], nr, ctx);
		lost -= nr;
	}
	return lost;
}

void ring_counts_end(struct ring_counts *c)
{
	for (int i = 0; i < RQSPIN_RING_GROUPS; i++) {
		if (c->likes[i])
			proginfo_put(c->likes[i]->prog);
		free(c->likes[i]);
		c->likes[i] = NULL;
	}
}
