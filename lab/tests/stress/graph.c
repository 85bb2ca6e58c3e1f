// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "graph.h"

struct walk {
	const struct ghost_ctx *me;
	u64 at;
	u64 since; /* of the chain that is being followed */
	bool sure; /* only edges that need no knowledge of the queue */
	bool on_path[GHOST_LOCKS];
	const struct ghost_ctx *member[GHOST_LOCKS]; /* but @me */
	int members;
};

static bool span_covers(const struct ghost_span *s, u64 at)
{
	return s->begin <= at && at <= s->end;
}

/* Newest first, and no further back than @at. */
static const struct ghost_span *in_log(const struct ghost_log *log, int lock, u64 at)
{
	u64 n = smp_load_acquire(&log->n), i;

	for (i = n; i > 0 && n - i < GHOST_LOG; i--) {
		const struct ghost_span *s = &log->span[(i - 1) % GHOST_LOG];

		if (s->end < at)
			return NULL;
		if (span_covers(s, at) && (lock == GHOST_NONE || s->lock == lock))
			return s;
	}
	return NULL;
}

/* The lock that the context waited for, and since when. */
static bool want_at(const struct ghost_ctx *c, u64 at, struct ghost_span *out)
{
	const struct ghost_span *s;
	int want = smp_load_acquire(&c->want);

	*out = (struct ghost_span){ READ_ONCE(c->want_begin), ~0ULL, want };
	if (want != GHOST_NONE && span_covers(out, at))
		return true;
	s = in_log(&c->wants, GHOST_NONE, at);
	if (s)
		*out = *s;
	return s;
}

static bool holds_at(const struct ghost_ctx *c, int lock, u64 at)
{
	int i;

	for (i = 0; i < GHOST_HELD; i++) {
		if (smp_load_acquire(&c->held[i].lock) == lock && span_covers(&c->held[i], at))
			return true;
	}
	return in_log(&c->holds, lock, at);
}

static bool leads_back(struct walk *w, int lock);

/* Does the context, or one on top of it, wait for a lock that leads back? */
static bool cpu_is_stuck(struct walk *w, int cpu, int level)
{
	u64 since = w->since;
	struct ghost_span want;

	for (; level < GHOST_LEVELS; level++) {
		if (!want_at(&ghost_ctx[cpu][level], w->at, &want))
			continue;
		w->since = max(since, want.begin);
		w->member[w->members++] = &ghost_ctx[cpu][level];
		if (leads_back(w, want.lock))
			return true;
		w->members--;
	}
	w->since = since;
	return false;
}

/* The lock may be free while the next in line is a context that was interrupted. */
static bool next_in_line(struct walk *w, int cpu, int level, int lock)
{
	struct ghost_span want;

	return !w->sure && level + 1 < GHOST_LEVELS &&
	       want_at(&ghost_ctx[cpu][level], w->at, &want) && want.lock == lock;
}

static bool cpu_blocks(struct walk *w, int cpu, int level, int lock)
{
	const struct ghost_ctx *c = &ghost_ctx[cpu][level];
	bool mine = cpu == w->me->cpu;

	if (holds_at(c, lock, w->at))
		return (mine && level <= w->me->level) || cpu_is_stuck(w, cpu, level);
	if (next_in_line(w, cpu, level, lock) && !(mine && level >= w->me->level))
		return mine || cpu_is_stuck(w, cpu, level + 1);
	return false;
}

static bool leads_back(struct walk *w, int lock)
{
	bool found = false;
	int cpu, level;

	if (w->on_path[lock])
		return false;
	w->on_path[lock] = true;
	for (cpu = 0; !found && cpu < (int)shim_nr_cpus; cpu++) {
		for (level = 0; !found && level < GHOST_LEVELS; level++)
			found = cpu_blocks(w, cpu, level, lock);
	}
	w->on_path[lock] = false;
	return found;
}

static bool cycle_at(const struct ghost_ctx *c, u64 at)
{
	struct walk w = { .me = c, .at = at };

	return leads_back(&w, c->want);
}

/* A cycle begins with a wait, so every such moment of the past is tried. */
static enum graph_answer try_begins(const struct ghost_ctx *c, const struct ghost_log *log,
				    u64 begin, u64 end)
{
	u64 n = smp_load_acquire(&log->n), i;

	for (i = n; i > 0; i--) {
		const struct ghost_span *s = &log->span[(i - 1) % GHOST_LOG];

		if (n - i >= GHOST_LOG)
			return GRAPH_UNKNOWN;
		if (s->end < begin)
			break;
		if (s->begin >= begin && s->begin <= end && cycle_at(c, s->begin))
			return GRAPH_YES;
	}
	return GRAPH_NO;
}

enum graph_answer graph_cycle_within(const struct ghost_ctx *c, u64 begin, u64 end)
{
	enum graph_answer answer, unknown = GRAPH_NO;
	int cpu, level;

	if (cycle_at(c, end) || cycle_at(c, begin))
		return GRAPH_YES;
	for (cpu = 0; cpu < (int)shim_nr_cpus; cpu++) {
		for (level = 0; level < GHOST_LEVELS; level++) {
			const struct ghost_ctx *other = &ghost_ctx[cpu][level];
			u64 since = READ_ONCE(other->want_begin);

			if (since >= begin && since <= end && cycle_at(c, since))
				return GRAPH_YES;
			answer = try_begins(c, &other->wants, begin, end);
			if (answer == GRAPH_YES)
				return GRAPH_YES;
			if (answer == GRAPH_UNKNOWN)
				unknown = GRAPH_UNKNOWN;
		}
	}
	return unknown;
}

/* Has the context itself run, and not an interrupt on top of it? */
static bool has_run(const struct ghost_ctx *c, u64 since, u64 ns)
{
	int level;

	for (level = c->level + 1; level < GHOST_LEVELS; level++) {
		if (READ_ONCE(ghost_ctx[c->cpu][level].want) != GHOST_NONE)
			return false;
	}
	return ghost_ran_for(c->cpu, since, ns);
}

static bool missed_by(const struct ghost_ctx *c, u64 now, u64 ns)
{
	struct walk w = { .me = c, .at = now, .since = READ_ONCE(c->want_begin), .sure = true };
	int i, want = smp_load_acquire(&c->want);

	if (want == GHOST_NONE || !leads_back(&w, want) || now - w.since <= ns)
		return false;
	for (i = 0; i < w.members; i++) {
		if (!has_run(w.member[i], w.since, ns))
			return false;
	}
	return has_run(c, w.since, ns);
}

bool graph_cycle_missed(u64 now, u64 ns)
{
	int cpu, level;

	for (cpu = 0; cpu < (int)shim_nr_cpus; cpu++) {
		for (level = 0; level < GHOST_LEVELS; level++) {
			if (missed_by(&ghost_ctx[cpu][level], now, ns))
				return true;
		}
	}
	return false;
}
