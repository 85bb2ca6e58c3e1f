// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "counts/counts.h"
#include "counts/series.h"
#include "events/filter.h"
#include "events/session.h"

size_t counts_add(struct counts *c, const struct failure *f, struct session *s)
{
	size_t i;

	c->seen++;
	if (!trace_filter_match(c->filter, f, session_locks(s)))
		return SERIES_NONE;
	c->matched = true;
	i = series_seen(c->series, f, session_locks(s));
	c->out_of_memory |= i == SERIES_NONE;
	return i;
}

struct losing {
	struct counts *counts;
	struct locknames *names;
};

static void on_loss(const struct failure *like, __u64 nr, void *ctx)
{
	struct losing *l = ctx;
	struct counts *c = l->counts;
	bool known = like && !trace_filter_by_task(c->filter);

	if (known && !trace_filter_match(c->filter, like, l->names))
		return;
	c->matched = true; /* or may have been: unknown failures cannot be filtered */
	if (!known && trace_filter_any(c->filter))
		c->uncounted.lost += nr;
	else if (!series_lost(c->series, known ? like : NULL, nr, l->names))
		c->out_of_memory = true;
}

void counts_update(struct counts *c, struct session *s)
{
	struct losing losing = { c, session_locks(s) };

	session_losses(s, &c->uncounted);
	c->uncounted.lost = 0;
	series_begin_losses(c->series);
	session_lost_each(s, on_loss, &losing);
	series_settle(c->series);
	c->uncounted.unknown |= c->out_of_memory;
	/* A counter that goes down would be taken for a restart. */
	if (c->most_lost < c->uncounted.lost)
		c->most_lost = c->uncounted.lost;
}
