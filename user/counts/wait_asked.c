// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <strings.h>

#include "counts/wait_asked.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "events/failure.h"
#include "events/filter.h"
#include "waits/drain.h"

/* Applies the filters for failures to waits, as far as waits have the same members. */
static enum wait_asked asked_by(const struct trace_filter *filter, const struct wait_drained *d,
				struct locknames *names)
{
	struct failure f = { .ev = { .lock = d->lock, .ts_ns = d->when_ns }, .prog = d->prog };

	f.prog_id = d->prog ? d->prog->id : 0;
	return trace_filter_match(filter, &f, names) ? WAIT_ASKED : WAIT_NOT_ASKED;
}

static enum wait_asked asked_by_prog(const struct trace_filter *filter,
				     const struct wait_drained *d)
{
	const struct trace_filter prog = { .prog = filter->prog };

	if (filter->prog && d->prog_unknown)
		return WAIT_ASKED_UNKNOWN;
	return asked_by(&prog, d, NULL);
}

static bool asked_lock_named(const struct wait_drained *d, struct locknames *names)
{
	struct lockname name;

	return locknames_find(names, d->lock, d->when_ns, d->prog, &name) || name.path[0];
}

static enum wait_asked asked_by_place(const struct trace_filter *filter,
				      const struct wait_drained *d, struct locknames *names)
{
	const struct trace_filter place = { .lock = filter->lock, .map = filter->map };
	const struct trace_filter lock = { .lock = filter->lock };
	bool by_address = filter->lock && !strncasecmp(filter->lock, "0x", 2);

	if ((!filter->lock && !filter->map) || asked_by(&place, d, names) == WAIT_ASKED)
		return WAIT_ASKED;
	/* The filter is an address, which needs no name. */
	if (by_address && (!filter->map || asked_by(&lock, d, names) == WAIT_NOT_ASKED))
		return WAIT_NOT_ASKED;
	return asked_lock_named(d, names) ? WAIT_NOT_ASKED : WAIT_ASKED_UNKNOWN;
}

enum wait_asked wait_asked(const struct trace_filter *filter, const struct wait_drained *d,
			   struct locknames *names)
{
	enum wait_asked prog, place;

	/* Waits that found no room in the kernel's table. */
	if (!d->lock)
		return trace_filter_any(filter) ? WAIT_ASKED_UNKNOWN : WAIT_ASKED;
	prog = d->prog && d->prog->own ? WAIT_NOT_ASKED : asked_by_prog(filter, d);
	if (prog == WAIT_NOT_ASKED)
		return WAIT_NOT_ASKED;
	place = asked_by_place(filter, d, names);
	return place == WAIT_ASKED ? prog : place;
}
