// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "names/proginfo.h"
#include "events/source.h"
#include "events/join.h"
#include "events/merge.h"

/* On a busy machine a program may be stopped between the kernel's report and its own. */
#define WAIT_NS	     1000000000ULL
#define WAIT_FLUSHES 2
#define BUCKETS	     64

/**
 * struct item - a report
 * @f: the reported failure
 * @wait: another source may report it too
 * @since: when it was pushed
 * @flush: the flush at which it began to wait
 * @bucket: its bucket, while it waits
 * @nth: its index in @bucket, or in the list of ready items
 * @by_age: all waiting items, the oldest first
 */
struct item {
	struct failure f;
	bool wait;
	__u64 since;
	__u64 flush;
	struct bucket *bucket;
	size_t nth;
	TAILQ_ENTRY(item) by_age;
};

/*
 * Search keys, close together in memory: thousands of items wait during a burst. item is NULL once
 * it no longer waits.
 */
struct ref {
	__u64 ts_ns;
	struct item *item;
};

/**
 * struct bucket - waiting items of some CPUs, in the order in which they were pushed
 * @refs: to the items
 * @nr: entries of @refs
 * @room: allocated entries of @refs
 * @skip: so many entries at the beginning are older than @skip_ns: no program whose scope began
 * later reported them
 * @skip_ns: CLOCK_MONOTONIC
 */
struct bucket {
	struct ref *refs;
	size_t nr, room;
	size_t skip;
	__u64 skip_ns;
};

/* Fresh items, of one rank. */
struct list {
	struct item **items;
	size_t nr, room;
};

/* Failures that are alike, and how many of them join_alone_take() gave away. */
struct alone {
	__u32 prog_id, cpu;
	__u64 lock, nr, taken;
};

struct join {
	struct list fresh[RANK_MAX + 1];
	struct bucket buckets[BUCKETS];
	TAILQ_HEAD(, item) waiting;
	struct list ready; /* to be handed out in order of time */
	__u64 flushed_ns;  /* all failures before this time have been pushed */
	__u64 flushes;
	__u64 lost;
	struct alone *alone; /* failures from rings without a report of the kernel */
	size_t nr_alone, room_alone;
	failure_fn emit;
	void *ctx;
};

struct join *join_open(failure_fn emit, void *ctx)
{
	struct join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	TAILQ_INIT(&j->waiting);
	j->flushed_ns = now_ns();
	j->emit = emit;
	j->ctx = ctx;
	return j;
}

static void failure_drop(struct failure *f)
{
	free(f->report);
	f->report = NULL;
	proginfo_put(f->prog);
	f->prog = NULL;
}

static void item_free(struct item *it)
{
	failure_drop(&it->f);
	free(it);
}

void join_close(struct join *j)
{
	struct item *it;

	if (!j)
		return;
	for (int rank = 0; rank <= RANK_MAX; rank++) {
		struct list *l = &j->fresh[rank];

		for (size_t i = 0; i < l->nr; i++)
			item_free(l->items[i]);
		free(l->items);
	}
	while ((it = TAILQ_FIRST(&j->waiting))) {
		TAILQ_REMOVE(&j->waiting, it, by_age);
		item_free(it);
	}
	for (size_t i = 0; i < j->ready.nr; i++)
		item_free(j->ready.items[i]);
	free(j->ready.items);
	for (int i = 0; i < BUCKETS; i++)
		free(j->buckets[i].refs);
	free(j->alone);
	free(j);
}

/* Makes room for one more entry of that size; false if out of memory. */
static bool make_room(void **entries, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *grown;

	if (nr < *room)
		return true;
	grown = reallocarray(*entries, more, size);
	if (!grown)
		return false;
	*entries = grown;
	*room = more;
	return true;
}

void join_push(struct join *j, const struct failure *f, bool wait)
{
	struct list *l = &j->fresh[f->source->rank];
	struct item *it = malloc(sizeof(*it));

	if (!it || !make_room((void **)&l->items, l->nr, &l->room, sizeof(*l->items))) {
		free(it);
		free(f->report);
		j->lost++;
		return;
	}
	*it = (struct item){ .f = *f, .wait = wait, .since = now_ns() };
	proginfo_get(it->f.prog);
	l->items[l->nr++] = it;
}

static bool begin_waiting(struct join *j, struct item *it)
{
	struct bucket *b = &j->buckets[it->f.ev.cpu % BUCKETS];

	if (!make_room((void **)&b->refs, b->nr, &b->room, sizeof(*b->refs)))
		return false;
	it->bucket = b;
	it->nth = b->nr;
	it->flush = j->flushes;
	b->refs[b->nr++] = (struct ref){ it->f.ev.ts_ns, it };
	TAILQ_INSERT_TAIL(&j->waiting, it, by_age);
	return true;
}

static void end_waiting(struct join *j, struct item *it)
{
	it->bucket->refs[it->nth].item = NULL;
	TAILQ_REMOVE(&j->waiting, it, by_age);
}

/* Closes the gaps. */
static void bucket_pack(struct bucket *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->nr; i++) {
		if (!b->refs[i].item)
			continue;
		b->refs[kept] = b->refs[i];
		b->refs[kept].item->nth = kept;
		kept++;
	}
	b->nr = kept;
	b->skip = 0;
	b->skip_ns = 0;
}

/*
 * Index of the first entry that may match f. During a burst most waiting items are older, and
 * self-reports come in the order in which their scopes began.
 */
static size_t skip_older(struct bucket *b, const struct failure *f)
{
	if (!source_is(f->source, SOURCE_SELF_REPORTS))
		return 0;
	if (f->ev.ts_ns < b->skip_ns)
		b->skip = 0;
	b->skip_ns = f->ev.ts_ns;
	for (; b->skip < b->nr; b->skip++) {
		const struct ref *r = &b->refs[b->skip];

		if (r->item &&
		    (r->ts_ns >= f->ev.ts_ns || !source_is(r->item->f.source, SOURCE_AT_LOCK)))
			break;
	}
	return b->skip;
}

/*
 * The waiting report to add to f, of a source whose bit is not in absorbed; NULL if there is none.
 */
static struct item *find_match(struct join *j, const struct failure *f, __u64 until,
			       unsigned int absorbed)
{
	struct bucket *b = &j->buckets[f->ev.cpu % BUCKETS];
	struct item *found = NULL;

	for (size_t i = skip_older(b, f); i < b->nr; i++) {
		struct item *it = b->refs[i].item;

		if (!it || it->f.source->rank >= f->source->rank ||
		    absorbed & 1U << it->f.source->rank || !merge_possible(f, &it->f) ||
		    !merge_in_scope(f, until, &it->f))
			continue;
		if (!source_is(f->source, SOURCE_OPERATIONS))
			return it;
		/*
		 * A failure in an interrupt is inside the interrupted operation, too, but the
		 * operation in the interrupt ends first: take the latest failure.
		 */
		if (!found || it->f.ev.ts_ns > found->f.ev.ts_ns)
			found = it;
	}
	return found;
}

/* Adds at most one report of each source: a second one is of the next failure. */
static void absorb_waiting(struct join *j, struct failure *f, __u64 until)
{
	unsigned int absorbed = 0;
	struct item *it;

	while ((it = find_match(j, f, until, absorbed))) {
		absorbed |= 1U << it->f.source->rank;
		merge_add(f, &it->f);
		end_waiting(j, it);
		item_free(it);
	}
}

static struct alone *alone_like(struct join *j, const struct failure *f)
{
	struct alone *a = j->alone;

	for (size_t i = 0; i < j->nr_alone; i++, a++)
		if (a->prog_id == f->prog_id && a->cpu == f->ev.cpu && a->lock == f->ev.lock)
			return a;
	return NULL;
}

static void note_alone(struct join *j, const struct failure *f)
{
	struct alone *a = alone_like(j, f);

	if (a)
		a->nr++;
	else if (make_room((void **)&j->alone, j->nr_alone, &j->room_alone, sizeof(*a)))
		j->alone[j->nr_alone++] = (struct alone){
			.prog_id = f->prog_id, .cpu = f->ev.cpu, .lock = f->ev.lock, .nr = 1
		};
}

static void hand_out(struct join *j, struct item *it)
{
	struct list *l = &j->ready;
	struct failure *f = &it->f;

	if (source_is(f->source, SOURCE_SELF_REPORTS) && !f->joined && !f->unasked)
		note_alone(j, f);
	it->nth = l->nr;
	if (make_room((void **)&l->items, l->nr, &l->room, sizeof(*l->items))) {
		l->items[l->nr++] = it;
		return;
	}
	j->emit(f, j->ctx);
	item_free(it);
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;

	if (x->f.ev.ts_ns != y->f.ev.ts_ns)
		return x->f.ev.ts_ns < y->f.ev.ts_ns ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

/* No failure before the returned time can still come, or waits. */
static __u64 join_horizon(const struct join *j)
{
	__u64 oldest = j->flushed_ns;
	struct item *it;

	TAILQ_FOREACH(it, &j->waiting, by_age)
	if (it->f.ev.ts_ns < oldest)
		oldest = it->f.ev.ts_ns;
	return oldest;
}

static void emit_in_order(struct join *j, __u64 until)
{
	struct list *l = &j->ready;
	size_t n = 0;

	if (!l->nr)
		return;
	qsort(l->items, l->nr, sizeof(*l->items), by_time);
	for (; n < l->nr && l->items[n]->f.ev.ts_ns <= until; n++) {
		j->emit(&l->items[n]->f, j->ctx);
		item_free(l->items[n]);
	}
	l->nr -= n;
	memmove(l->items, l->items + n, l->nr * sizeof(*l->items));
	for (size_t i = 0; i < l->nr; i++)
		l->items[i]->nth = i;
}

static void join_expire(struct join *j, bool all)
{
	__u64 now = now_ns();
	struct item *it;

	while ((it = TAILQ_FIRST(&j->waiting))) {
		if (!all && (now - it->since < WAIT_NS || j->flushes - it->flush <= WAIT_FLUSHES))
			break;
		end_waiting(j, it);
		hand_out(j, it);
	}
	for (int i = 0; i < BUCKETS; i++)
		bucket_pack(&j->buckets[i]);
}

/*
 * Beginning of the scope of the next report by the same program in the same thread; all ones if
 * that report is not here yet. Another program that ran on top has a ring of its own.
 */
static __u64 next_scope(const struct list *l, size_t i)
{
	const struct failure *f = &l->items[i]->f;

	for (size_t k = i + 1; source_is(f->source, SOURCE_SELF_REPORTS) && k < l->nr; k++) {
		const struct failure *next = &l->items[k]->f;

		if (next->prog_id == f->prog_id && next->ev.cpu == f->ev.cpu &&
		    next->ev.tid == f->ev.tid && next->ev.ts_ns > f->ev.ts_ns)
			return next->ev.ts_ns;
	}
	return ~0ULL;
}

static void join_settle(struct join *j, struct list *l, size_t i)
{
	struct item *it = l->items[i];

	if (!it->f.waited)
		absorb_waiting(j, &it->f, next_scope(l, i));
	if (!it->wait) {
		hand_out(j, it);
	} else if (!begin_waiting(j, it)) {
		j->lost++;
		item_free(it);
	}
}

void join_flush(struct join *j, bool all)
{
	/*
	 * Handles sources by ascending rank, so that reports of higher rank find the reports to
	 * add.
	 */
	for (int rank = 0; rank <= RANK_MAX; rank++) {
		struct list *l = &j->fresh[rank];

		for (size_t i = 0; i < l->nr; i++)
			join_settle(j, l, i);
		l->nr = 0;
	}
	j->flushes++;
	join_expire(j, all);
	emit_in_order(j, all ? ~0ULL : join_horizon(j));
	j->flushed_ns = now_ns();
}

__u64 join_lost(const struct join *j)
{
	return j->lost;
}

__u64 join_alone(const struct join *j)
{
	__u64 nr = 0;

	for (size_t i = 0; i < j->nr_alone; i++)
		nr += j->alone[i].nr;
	return nr;
}

__u64 join_alone_take(struct join *j, const struct failure *like, __u64 nr)
{
	struct alone *a = alone_like(j, like);
	__u64 left = a ? a->nr - a->taken : 0;

	if (nr > left)
		nr = left;
	if (a)
		a->taken += nr;
	return nr;
}

void join_alone_put_back(struct join *j)
{
	for (size_t i = 0; i < j->nr_alone; i++)
		j->alone[i].taken = 0;
}
