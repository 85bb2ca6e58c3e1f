// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "events/sources/classify.h"

#define CHAIN_MAX 64

static __u32 table_kept(const struct witness_table *t)
{
	return t->nr < WITNESS_LOCKS ? t->nr : WITNESS_LOCKS;
}

static bool table_has(const struct witness_table *t, __u64 lock, __u32 nr)
{
	for (__u32 i = 0; i < nr; i++)
		if (t->locks[i] == lock)
			return true;
	return false;
}

/* The newest lock in the table, which the CPU may still wait for; 0 if there is none. */
static __u64 table_top(const struct witness_table *t)
{
	return t->nr ? t->locks[table_kept(t) - 1] : 0;
}

/*
 * The table of the CPU that owns the lock; NULL if unknown. *wants is the newest lock of an owner
 * that has others: the owner holds that one, too, or waits for it.
 */
static const struct witness_table *find_owner(const struct tables *all, __u64 lock, __u64 *wants)
{
	const struct witness_table *only = NULL;
	__u32 tops = 0;

	*wants = 0;
	for (__u32 i = 0; i < all->nr; i++) {
		const struct witness_table *t = &all->t[i];

		/* A CPU that attempts another lock after this one owns this one. */
		if (t->nr > 1 && table_has(t, lock, table_kept(t) - 1)) {
			*wants = table_top(t);
			return t;
		}
		if (table_top(t) == lock) {
			only = t;
			tops++;
		}
	}
	/* The lock has an owner. If only one CPU has it in its table, that CPU is the owner. */
	return tops == 1 && all->complete ? only : NULL;
}

static_assert(WITNESS_LOCKS > RQSPIN_EVENT_HELD, "one more, for the lock that is attempted");

/*
 * Copies all but the hide newest locks. If the oldest are unknown, the newest of the rest fill the
 * room.
 */
static void copy_held(__u64 *to, __u32 *nr, const struct witness_table *t, __u32 hide)
{
	__u32 n = table_kept(t) - hide, skip = 0;

	if (n > RQSPIN_EVENT_HELD) {
		skip = t->nr > WITNESS_LOCKS ? n - RQSPIN_EVENT_HELD : 0;
		n = RQSPIN_EVENT_HELD;
	}
	*nr = t->nr - hide;
	memcpy(to, t->locks + skip, n * sizeof(*to));
}

enum newest { NEWEST_HELD, NEWEST_WANTED, NEWEST_EITHER };

/*
 * A table does not show if its newest lock is held or wanted. It is wanted if another CPU holds it.
 */
static enum newest newest_of(const struct witness_table *owner, const struct witness_table *own,
			     __u32 nr_own, const struct tables *all)
{
	__u64 lock = table_top(owner);
	bool sure = all->complete;

	if (table_has(own, lock, nr_own))
		return NEWEST_WANTED;
	for (__u32 i = 0; i < all->nr; i++) {
		const struct witness_table *t = &all->t[i];

		if (t->nr > 1 && table_has(t, lock, table_kept(t) - 1))
			return NEWEST_WANTED;
		if (t != owner && table_top(t) == lock)
			sure = false;
	}
	return sure ? NEWEST_HELD : NEWEST_EITHER;
}

/*
 * Follows the chain of waits from the lock on. Returns the parties of the cycle, 0 if there is
 * none.
 */
static __u32 cycle_length(const struct witness_table *own, __u32 nr_own, const struct tables *all,
			  __u64 lock)
{
	__u64 wants;

	for (__u32 n = 2; n < CHAIN_MAX; n++) {
		if (!find_owner(all, lock, &wants) || !wants)
			return 0;
		if (table_has(own, wants, nr_own))
			return n;
		lock = wants;
	}
	return 0;
}

static void set_kind(struct rqspin_event *ev, const struct witness_table *own, __u32 nr_own,
		     const struct tables *all)
{
	__u32 parties = cycle_length(own, nr_own, all, ev->lock);

	ev->kind = RQSPIN_UNKNOWN;
	ev->parties = 0;
	if (ev->err == -EDEADLK && table_has(own, ev->lock, nr_own)) {
		ev->kind = RQSPIN_AA;
		ev->parties = 1;
	} else if (parties) {
		ev->kind = parties == 2 ? RQSPIN_ABBA : RQSPIN_CYCLE;
		ev->parties = parties;
	} else if (ev->err == -ETIMEDOUT) {
		ev->kind = RQSPIN_TIMEOUT;
	} else if (ev->err == -EDEADLK && nr_own && own->nr <= WITNESS_LOCKS) {
		/* The kernel reports only AA and ABBA as a deadlock, and it is not AA. */
		ev->kind = RQSPIN_ABBA;
		ev->parties = 2;
	}
}

static void set_owner(struct rqspin_event *ev, const struct witness_table *own, __u32 nr_own,
		      const struct tables *all)
{
	const struct witness_table *owner;
	enum newest newest = NEWEST_HELD;
	__u64 top;

	owner = find_owner(all, ev->lock, &top);
	if (!owner)
		return;
	if (top)
		newest = newest_of(owner, own, nr_own, all);
	ev->owner_cpu = owner->cpu;
	copy_held(ev->owner_held, &ev->nr_owner_held, owner, newest != NEWEST_HELD);
	if (newest == NEWEST_WANTED)
		ev->owner_wants = top;
	/*
	 * The owner may have failed, too, and no longer wait. It waited for one of our locks: if we
	 * held only one, for that one.
	 */
	if (ev->kind == RQSPIN_ABBA && !top && nr_own == 1)
		ev->owner_wants = own->locks[0];
}

void classify_event(struct rqspin_event *ev, const struct witness_table *own, bool attempting,
		    const struct tables *all)
{
	__u32 nr_own = table_kept(own) - attempting;

	copy_held(ev->held, &ev->nr_held, own, attempting);
	ev->owner_cpu = -1;
	ev->owner_wants = 0;
	ev->nr_owner_held = 0;
	if (!ev->lock)
		return;
	set_kind(ev, own, nr_own, all);
	if (ev->kind == RQSPIN_AA) {
		ev->owner_cpu = ev->cpu;
		copy_held(ev->owner_held, &ev->nr_owner_held, own, attempting);
		return;
	}
	set_owner(ev, own, nr_own, all);
}
