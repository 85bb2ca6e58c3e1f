// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "events/merge.h"
#include "events/source.h"

#define OP_END_NS 1000000ULL /* from the failure of its lock to the end of a map operation */

/*
 * Did the lock fail inside the map operation? The operation has its map and the time of its end,
 * which is some instructions after the failure.
 */
static bool failed_inside(const struct failure *lock, const struct failure *op)
{
	if (lock->prog_lock || lock->ev.ts_ns > op->ev.ts_ns)
		return false;
	if (lock->map_id)
		return lock->map_id == op->map_id;
	return op->ev.ts_ns - lock->ev.ts_ns < OP_END_NS;
}

bool merge_possible(const struct failure *f, const struct failure *other)
{
	const struct rqspin_event *x = &f->ev, *y = &other->ev;

	if (source_is(f->source, SOURCE_OPERATIONS) && !failed_inside(other, f))
		return false;
	if (f->source == other->source || x->cpu != y->cpu || x->err != y->err)
		return false;
	if (x->tid && y->tid && x->tid != y->tid)
		return false;
	if (f->prog_id && other->prog_id && f->prog_id != other->prog_id)
		return false;
	return !x->lock || !y->lock || x->lock == y->lock;
}

bool merge_in_scope(const struct failure *f, __u64 until, const struct failure *report)
{
	if (!source_is(f->source, SOURCE_SELF_REPORTS) ||
	    !source_is(report->source, SOURCE_AT_LOCK))
		return true;
	return report->ev.ts_ns >= f->ev.ts_ns && report->ev.ts_ns < until;
}

static void add_owner(struct failure *to, const struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	if (x->owner_cpu < 0 && y->owner_cpu >= 0) {
		x->owner_cpu = y->owner_cpu;
		x->owner_wants = y->owner_wants;
		x->nr_owner_held = y->nr_owner_held;
		memcpy(x->owner_held, y->owner_held, sizeof(x->owner_held));
		to->owner = from->owner;
	}
	if (!to->owner.known && x->owner_cpu == y->owner_cpu)
		to->owner = from->owner;
}

/* What other sources infer is no better than the report of the lock itself. */
static void take_told(struct failure *to, const struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	to->told = true;
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
	to->owner.known = false;
	add_owner(to, from);
	to->some_owner_held = from->some_owner_held;
}

/* A kind ABBA by errno alone is weaker than the whole cycle, if the other source saw it. */
static void add_kind(struct failure *to, const struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	if (to->told)
		return;
	if (y->parties && (x->kind == RQSPIN_UNKNOWN || x->kind == RQSPIN_TIMEOUT || !x->parties)) {
		x->kind = y->kind;
		x->parties = y->parties;
		to->sampled = from->sampled;
	}
	if (x->kind == RQSPIN_UNKNOWN)
		x->kind = y->kind;
}

static void add_held(struct failure *to, const struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	if (y->nr_held == HELD_UNKNOWN ||
	    (x->nr_held != HELD_UNKNOWN && (!to->some_held || from->some_held)))
		return;
	x->nr_held = y->nr_held;
	memcpy(x->held, y->held, sizeof(x->held));
	to->some_held = from->some_held;
}

/* The line of the call is better than the line of the program's report. */
static void add_line(struct failure *to, const struct failure *from)
{
	if (!from->ev.line || (to->ev.line && !to->report_line))
		return;
	to->ev.line = from->ev.line;
	memcpy(to->file, from->file, sizeof(to->file));
	to->report_line = from->report_line;
}

static void take_over(struct failure *to, struct failure *from)
{
	if (!to->prog_id) {
		to->prog_id = from->prog_id;
		to->prog = from->prog;
		from->prog = NULL;
	}
	if (!to->report) {
		to->report = from->report;
		from->report = NULL;
	}
}

void merge_add(struct failure *to, struct failure *from)
{
	struct rqspin_event *x = &to->ev;
	const struct rqspin_event *y = &from->ev;

	to->joined = from->source;
	if (from->told)
		take_told(to, from);
	add_kind(to, from);
	add_owner(to, from);
	add_held(to, from);
	add_line(to, from);
	if (!x->lock)
		x->lock = y->lock;
	if (x->wait_ns == WAIT_UNKNOWN)
		x->wait_ns = y->wait_ns;
	if (!x->pid)
		x->pid = y->pid;
	if (!to->map_id)
		to->map_id = from->map_id;
	if (!to->returned)
		to->returned = from->returned;
	take_over(to, from);
}
