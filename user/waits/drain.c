// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sched.h>
#include <stddef.h>

#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/lock_view.h"
#include "waits/collect.h"
#include "waits/drain.h"
#include "waits/stack.h"

#define TURN_TRIES 1000 /* counting one wait takes about a microsecond */

static bool drain_turn(struct waits *w)
{
	for (int i = 0; i < TURN_TRIES; i++) {
		if (waits_turn(w))
			return true;
		sched_yield();
	}
	return false;
}

bool waits_drain(struct waits *w, struct proginfos *progs, struct locknames *locks,
		 wait_drained_fn fn, void *ctx)
{
	struct lock_view view = { .names = locks };
	struct waits_sum others;

	if (!drain_turn(w))
		return false;
	/* In this order: a program that has waited by now was loaded before this scan. */
	proginfos_scan(progs);
	locknames_scan(locks);
	view.progs = proginfos_first(progs);
	for (size_t i = 0; i < waits_room(w); i++) {
		const struct waits_entry *e = waits_at(w, i);
		struct wait_drained d;

		if (!e)
			continue;
		d = (struct wait_drained){ .prog = wait_stack_prog(e, &view),
					   .lock = e->lock,
					   .cgroup = e->cgroup,
					   .when_ns = e->when_ns,
					   .sum = &e->sum };
		d.prog_unknown = !d.prog && wait_stack_has_unknown(e, &view);
		fn(&d, ctx);
	}
	waits_others(w, &others);
	if (others.count)
		fn(&(struct wait_drained){ .sum = &others }, ctx);
	waits_clear(w);
	return true;
}
