// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "events/sources/ring_reader.h"

#define GIVE_UP_NS 1000000000ULL /* if a slot is not filled by then, its writer is gone */
#define JUMP_MAX   (1ULL << 40)	 /* more slots than writers can reserve between two calls */

enum slot {
	SLOT_EMPTY, /* not reserved, or not filled yet: look again later */
	SLOT_READY,
	SLOT_GONE, /* overwritten, or being overwritten right now */
};

static const __u64 *slot_of(const struct ring_view *v, __u64 pos)
{
	return (const void *)((const char *)v->slots + pos % v->nr * v->size);
}

/*
 * State of the slot of event number pos. A slot without a number is either not filled yet or being
 * filled anew: a writer moves the head before it clears the number.
 */
static enum slot state_of(const struct ring_view *v, __u64 pos)
{
	__u64 number = __atomic_load_n(slot_of(v, pos), __ATOMIC_ACQUIRE);

	if (number == pos + 1)
		return SLOT_READY;
	if (number > pos)
		return SLOT_GONE;
	return __atomic_load_n(v->head, __ATOMIC_ACQUIRE) - pos > v->nr ? SLOT_GONE : SLOT_EMPTY;
}

bool ring_copy(const void *slot, __u64 pos, void *copy, size_t size)
{
	const __u64 *number = slot;

	if (__atomic_load_n(number, __ATOMIC_ACQUIRE) != pos + 1)
		return false;
	memcpy(copy, slot, size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(number, __ATOMIC_RELAXED) == pos + 1;
}

/* Hands out event number pos, or counts it as lost. False: its slot may still be filled. */
static bool slot_take(struct ring_reader *r, const struct ring_view *v, __u64 pos, void *copy,
		      ring_fn fn, void *ctx)
{
	enum slot state = state_of(v, pos);

	if (state == SLOT_EMPTY)
		return false;
	if (state == SLOT_READY && ring_copy(slot_of(v, pos), pos, copy, v->size))
		fn(copy, ctx);
	else
		r->lost++;
	return true;
}

static void read_holes(struct ring_reader *r, const struct ring_view *v, bool last, void *copy,
		       ring_fn fn, void *ctx)
{
	__u64 now = r->nr_holes ? now_ns() : 0;
	int kept = 0;

	for (int i = 0; i < r->nr_holes; i++) {
		struct ring_hole hole = r->holes[i];

		if (slot_take(r, v, hole.pos, copy, fn, ctx))
			continue;
		if (last || now - hole.since > GIVE_UP_NS)
			r->lost++;
		else
			r->holes[kept++] = hole;
	}
	r->nr_holes = kept;
}

/* False: there is no room for another hole. */
static bool step_over(struct ring_reader *r, bool last)
{
	if (last) {
		r->lost++;
		return true;
	}
	if (r->nr_holes == RING_HOLES)
		return false;
	r->holes[r->nr_holes++] = (struct ring_hole){ r->pos, now_ns() };
	return true;
}

int ring_read(struct ring_reader *r, const struct ring_view *v, bool last, void *copy, ring_fn fn,
	      void *ctx)
{
	__u64 head = __atomic_load_n(v->head, __ATOMIC_ACQUIRE);

	if (head - r->pos > JUMP_MAX) {
		r->pos = head;
		r->nr_holes = 0;
		return -ERANGE;
	}
	if (v->until && *v->until < head)
		head = *v->until;
	read_holes(r, v, last, copy, fn, ctx);
	if (head - r->pos > v->nr) {
		r->lost += head - r->pos - v->nr;
		r->pos = head - v->nr;
	}
	for (; r->pos < head; r->pos++)
		if (!slot_take(r, v, r->pos, copy, fn, ctx) && !step_over(r, last))
			break;
	return 0;
}
