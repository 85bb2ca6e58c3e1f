// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "proginfo.h"
#include "trace.h"
#include "trace_join.h"

/* On a busy machine a program may be stopped between the kernel's report and its own. */
#define WAIT_NS	     1000000000ULL
#define WAIT_FLUSHES 2
#define MAX_WAIT     65536
#define OP_END_NS    1000000ULL /* from the failure of its lock to the end of a map operation */

struct item {
	struct failure f;
	bool wait;
	__u64 since;
	__u32 flushes; /* that it has waited through */
};

struct list {
	struct item *items;
	size_t nr, room;
};

struct join {
	struct list fresh, waiting;
	__u64 lost;
	__u64 alone; /* from a ring, and no kernel report of it came */
	failure_fn emit;
	void *ctx;
};

struct join *join_open(failure_fn emit, void *ctx)
{
	struct join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->emit = emit;
	j->ctx = ctx;
	return j;
}

static void drop(struct failure *f)
{
	free(f->report);
	f->report = NULL;
	proginfo_put(f->prog);
	f->prog = NULL;
}

static void list_free(struct list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		drop(&l->items[i].f);
	free(l->items);
}

void join_close(struct join *j)
{
	if (!j)
		return;
	list_free(&j->fresh);
	list_free(&j->waiting);
	free(j);
}

static bool list_add(struct list *l, const struct item *it)
{
	if (l->nr == l->room) {
		size_t room = l->room ? l->room * 2 : 64;
		struct item *items = realloc(l->items, room * sizeof(*items));

		if (!items)
			return false;
		l->items = items;
		l->room = room;
	}
	l->items[l->nr++] = *it;
	return true;
}

void join_push(struct join *j, const struct failure *f, bool wait)
{
	struct item it = { .f = *f, .wait = wait, .since = now_ns() };

	proginfo_get(it.f.prog);
	if (j->fresh.nr < MAX_WAIT && list_add(&j->fresh, &it))
		return;
	j->lost++;
	drop(&it.f);
}

/*
 * Did the lock fail inside the map operation? It knows its map and when it ended, which is some
 * instructions after the failure.
 */
static bool inside(const struct failure *lock, const struct failure *op)
{
	if (lock->prog_lock || lock->ev.ts_ns > op->ev.ts_ns)
		return false;
	if (lock->map_id)
		return lock->map_id == op->map_id;
	return op->ev.ts_ns - lock->ev.ts_ns < OP_END_NS;
}

/* Unless told otherwise, what one of the two does not know cannot make them differ. */
static bool same_failure(const struct failure *a, const struct failure *b)
{
	const struct rqspin_event *x = &a->ev, *y = &b->ev;

	if (a->source == &source_mapops && !inside(b, a))
		return false;

	if (a->source == b->source || x->cpu != y->cpu || x->err != y->err)
		return false;
	if (x->tid && y->tid && x->tid != y->tid)
		return false;
	if (a->prog_id && b->prog_id && a->prog_id != b->prog_id)
		return false;
	return !x->lock || !y->lock || x->lock == y->lock;
}

static void add_owner(struct rqspin_event *to, const struct rqspin_event *from)
{
	if (to->owner_cpu >= 0 || from->owner_cpu < 0)
		return;
	to->owner_cpu = from->owner_cpu;
	to->owner_wants = from->owner_wants;
	to->nr_owner_held = from->nr_owner_held;
	memcpy(to->owner_held, from->owner_held, sizeof(to->owner_held));
}

/* Nothing that was told by the lock is inferred better by anybody else. */
static void take_told(struct failure *to, const struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	to->told = true;
	to->drained = from->drained;
	to->sampled = false;
	to->nr_chain = from->nr_chain;
	memcpy(to->chain, from->chain, sizeof(to->chain));
	x->kind = y->kind;
	x->parties = y->parties;
	x->ts_ns = y->ts_ns;
	x->wait_ns = y->wait_ns;
	if (x->owner_cpu == y->owner_cpu && x->nr_owner_held != HELD_UNKNOWN)
		return;
	x->owner_cpu = -1;
	add_owner(x, y);
	to->some_owner_held = from->some_owner_held;
}

static void absorb(struct failure *to, struct failure *from)
{
	struct rqspin_event *x = &to->ev, *y = &from->ev;

	to->joined = from->source;
	if (from->told)
		take_told(to, from);
	/* ABBA by errno alone is the weaker word when the other saw the whole cycle. */
	if (!to->told && y->parties &&
	    (x->kind == RQSPIN_UNKNOWN || x->kind == RQSPIN_TIMEOUT || !x->parties)) {
		x->kind = y->kind;
		x->parties = y->parties;
		to->sampled = from->sampled;
	}
	if (!to->told && x->kind == RQSPIN_UNKNOWN)
		x->kind = y->kind;
	add_owner(x, y);
	if (!x->lock)
		x->lock = y->lock;
	if (x->wait_ns == WAIT_UNKNOWN)
		x->wait_ns = y->wait_ns;
	if (y->nr_held != HELD_UNKNOWN &&
	    (x->nr_held == HELD_UNKNOWN || (to->some_held && !from->some_held))) {
		x->nr_held = y->nr_held;
		memcpy(x->held, y->held, sizeof(x->held));
		to->some_held = from->some_held;
	}
	if (!to->map_id)
		to->map_id = from->map_id;
	if (!to->prog_id) {
		to->prog_id = from->prog_id;
		to->prog = from->prog;
		from->prog = NULL;
	}
	if (!x->pid)
		x->pid = y->pid;
	if (!x->line) {
		x->line = y->line;
		memcpy(to->file, from->file, sizeof(to->file));
	}
	if (!to->report) {
		to->report = from->report;
		from->report = NULL;
	}
	drop(from);
}

/*
 * A program's own report has the time before its first lock: what the kernel told before that,
 * or after the thread's next such time, is of another failure. Reports may be missing.
 */
static bool in_scope(const struct failure *f, __u64 until, const struct failure *report)
{
	if (f->source != &source_ring ||
	    (report->source != &source_trampoline && report->source != &source_tracepoint))
		return true;
	return report->ev.ts_ns >= f->ev.ts_ns && report->ev.ts_ns < until;
}

/* The report to add to f, of a source that is not in the bits yet; w->nr if there is none. */
static size_t find_match(const struct list *w, const struct failure *f, __u64 until,
			 unsigned int absorbed)
{
	size_t found = w->nr;

	for (size_t i = 0; i < w->nr; i++) {
		const struct failure *old = &w->items[i].f;

		if (old->source->rank >= f->source->rank || absorbed & 1U << old->source->rank ||
		    !same_failure(f, old) || !in_scope(f, until, old))
			continue;
		if (f->source != &source_mapops)
			return i;
		/* An operation in an interrupt is inside the interrupted one too, and ends first.
		 */
		if (found == w->nr || old->ev.ts_ns > w->items[found].f.ev.ts_ns)
			found = i;
	}
	return found;
}

/* At most one report of each source: a second one is of the next failure. */
static void absorb_waiting(struct join *j, struct failure *f, __u64 until)
{
	struct list *w = &j->waiting;
	unsigned int absorbed = 0;
	size_t i;

	while ((i = find_match(w, f, until, absorbed)) < w->nr) {
		absorbed |= 1U << w->items[i].f.source->rank;
		absorb(f, &w->items[i].f);
		w->nr--;
		memmove(&w->items[i], &w->items[i + 1], (w->nr - i) * sizeof(*w->items));
	}
}

static void hand_out(struct join *j, struct failure *f)
{
	/* A wait time comes from the fallback, of which the kernel reports nothing. */
	j->alone += f->source == &source_ring && !f->joined && f->ev.wait_ns == WAIT_UNKNOWN;
	j->emit(f, j->ctx);
	drop(f);
}

static void expire(struct join *j, bool all)
{
	struct list *w = &j->waiting;
	__u64 now = now_ns();
	size_t kept = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct item *it = &w->items[i];
		bool waits = now - it->since < WAIT_NS || it->flushes++ < WAIT_FLUSHES;

		if (waits && !all)
			w->items[kept++] = *it;
		else
			hand_out(j, &it->f);
	}
	w->nr = kept;
}

/*
 * When the thread began what the same program reported next; all ones if that is not here yet.
 * Another program may have run on top of it, and its report has another ring.
 */
static __u64 next_scope(const struct list *l, size_t i)
{
	const struct failure *f = &l->items[i].f;

	for (size_t k = i + 1; f->source == &source_ring && k < l->nr; k++) {
		const struct failure *next = &l->items[k].f;

		if (next->source == f->source && next->prog_id == f->prog_id &&
		    next->ev.cpu == f->ev.cpu && next->ev.tid == f->ev.tid &&
		    next->ev.ts_ns > f->ev.ts_ns)
			return next->ev.ts_ns;
	}
	return ~0ULL;
}

static void settle(struct join *j, size_t i)
{
	struct item *it = &j->fresh.items[i];

	absorb_waiting(j, &it->f, next_scope(&j->fresh, i));
	if (!it->wait) {
		hand_out(j, &it->f);
	} else if (!list_add(&j->waiting, it)) {
		j->lost++;
		drop(&it->f);
	}
}

void join_flush(struct join *j, bool all)
{
	/* Reports that may be added to others first, so that the others find them. */
	for (int rank = 0; rank <= 8; rank++)
		for (size_t i = 0; i < j->fresh.nr; i++)
			if (j->fresh.items[i].f.source->rank == rank)
				settle(j, i);
	j->fresh.nr = 0;
	expire(j, all);
}

__u64 join_lost(const struct join *j)
{
	return j->lost;
}

__u64 join_alone(const struct join *j)
{
	return j->alone;
}
