// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "check/alike.h"
#include "check/context.h"
#include "check/graph.h"
#include "check/judge.h"
#include "check/judge_maps.h"
#include "check/judge_order.h"
#include "check/leak.h"
#include "check/path.h"
#include "check/result.h"
#include "check/walk.h"

static void cannot_read(struct check_result *r, const struct check_prog *p)
{
	finding_add(&r->findings, FINDING_NOTE, "unreadable", p, 0, "%s was not looked at: %s",
		    p->name, p->unreadable);
}

static void tell_arena(struct check_result *r, const struct check_prog *p, const struct bounds *b)
{
	if (b->arena_locks)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s calls functions that may take locks in an arena, in %lu place%s: "
			    "these locks were not looked at",
			    p->name, b->arena_locks, b->arena_locks == 1 ? "" : "s");
	else if (b->arena_atomics)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s exchanges words in an arena, in %lu place%s: if these are arena "
			    "locks, they were not looked at",
			    p->name, b->arena_atomics, b->arena_atomics == 1 ? "" : "s");
	if (b->arena_kept)
		finding_add(
			&r->findings, FINDING_NOTE, "incomplete", p, 0,
			"%s takes locks in an arena that it never releases, or in a way that is "
			"not known here, in %lu place%s: findings about them may be false",
			p->name, b->arena_kept, b->arena_kept == 1 ? "" : "s");
}

/* Note why findings may be missing. What makes findings less certain is in the summary. */
static void tell_missed(struct check_result *r, const struct check_prog *p, struct bounds *b)
{
	b->maps = p->unread_maps;
	if (b->stopped)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "not all paths of %s were looked at: %s", p->name, b->stopped);
	if (b->held)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s holds more than %d locks on some paths: those beyond were not "
			    "remembered as held",
			    p->name, STATE_HELD);
	if (*b->callback)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s passes a function of its own to %s(), of which it is not known "
			    "how it calls it: followed as called at once and later, with anything",
			    p->name, b->callback);
	tell_arena(r, p, b);
	if (b->maps)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s refers to maps that could not be read, in %lu instructions (%s): "
			    "locks in them are not known",
			    p->name, b->maps, strerror(p->map_error));
}

static int walk_one(struct check_result *r, __u32 nr, struct calls *calls)
{
	const struct check_prog *p = &r->set.progs[nr];
	int err;

	if (p->unreadable) {
		cannot_read(r, p);
		return 0;
	}
	err = walk_prog(&r->set, nr, calls, &r->record, &r->bounds[nr]);
	tell_missed(r, p, &r->bounds[nr]);
	leak_tell(&r->set, nr, calls, &r->record, &r->findings);
	return err;
}

/* A user who may load programs may still not be allowed to open their maps. */
static int may_read_maps(const struct check_set *set)
{
	for (size_t i = 0; i < set->nr_progs; i++) {
		if (!set->progs[i].unread_maps || set->progs[i].map_error != EPERM)
			continue;
		pr_err("the maps of %s cannot be read back, so locks in them are not known: needs "
		       "CAP_SYS_ADMIN",
		       set->progs[i].name);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int walk_each(struct check_result *r)
{
	struct calls *calls = calls_open();
	int err;

	r->bounds = calloc(r->set.nr_progs + 1, sizeof(*r->bounds));
	err = calls && r->bounds ? 0 : -ENOMEM;
	if (calls && !calls_known(calls)) {
		pr_err("the kernel hides the addresses of its functions, so calls have no names: "
		       "needs CAP_SYSLOG, and sysctl kernel.kptr_restrict at 1 or 0");
		err = -EOPNOTSUPP;
	}
	err = err ?: may_read_maps(&r->set);
	for (__u32 i = 0; !err && i < r->set.nr_progs; i++)
		err = walk_one(r, i, calls);
	calls_close(calls);
	return err;
}

static int result_judge(struct check_result *r)
{
	struct cycles *cycles = calloc(1, sizeof(*cycles));
	int err = cycles ? graph_cycles(&r->set, &r->record, cycles) : -ENOMEM;

	if (!err) {
		judge_refusals(&r->refusals, &r->findings);
		judge_sizes(&r->set, &r->findings);
		judge_assumed(&r->set, &r->findings);
		judge_acts(&r->set, &r->record, &r->findings);
		judge_cycles(&r->set, cycles, &r->findings);
		judge_orders(&r->set, &r->record, &r->findings);
		context_judge(&r->set, &r->record, &r->findings);
		judge_unknown(&r->set, &r->record, &r->findings);
		err = mapnest_collect(&r->set, &r->maplocks, &r->record, &r->nests);
		err = err ?: judge_maps(&r->set, &r->maplocks, &r->nests, &r->findings);
		err = err ?: alike_judge(&r->set, &r->record, &r->findings);
		findings_unique(&r->findings);
	}
	if (cycles)
		cycles_free(cycles);
	free(cycles);
	return r->findings.nomem ? -ENOMEM : err;
}

int check_all(struct check_result *r)
{
	int err = walk_each(r);

	err = err ?: result_judge(r);
	if (err == -ENOMEM)
		pr_err("out of memory");
	return err;
}

void check_result_free(struct check_result *r)
{
	findings_free(&r->findings);
	mapnest_free(&r->nests);
	record_free(&r->record);
	free(r->bounds);
	refusals_free(&r->refusals);
	check_free(&r->set);
}
