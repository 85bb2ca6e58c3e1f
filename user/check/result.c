// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "check/context.h"
#include "check/graph.h"
#include "check/judge.h"
#include "check/result.h"
#include "check/walk.h"

static void cannot_read(struct check_result *r, const struct check_prog *p)
{
	finding_add(&r->findings, FINDING_NOTE, "unreadable", p, 0, "%s was not looked at: %s",
		    p->name, p->unreadable);
}

static int walk_one(struct check_result *r, __u32 nr, struct calls *calls)
{
	const struct check_prog *p = &r->set.progs[nr];
	int err;

	if (p->unreadable) {
		cannot_read(r, p);
		return 0;
	}
	err = walk(&r->set, nr, calls, &r->record);
	if (err == -ENOMEM)
		return err;
	if (err)
		finding_add(&r->findings, FINDING_NOTE, "incomplete", p, 0,
			    "%s has too many paths: not all of them were looked at", p->name);
	return 0;
}

static int walk_each(struct check_result *r)
{
	struct calls *calls = calls_open();
	int err = calls ? 0 : -ENOMEM;

	if (calls && !calls_known(calls)) {
		pr_err("the kernel hides the addresses of its functions, so calls have no names: "
		       "set kernel.kptr_restrict to 1 or 0");
		err = -EOPNOTSUPP;
	}
	for (__u32 i = 0; !err && i < r->set.nr_progs; i++)
		err = walk_one(r, i, calls);
	calls_close(calls);
	return err;
}

static int judge(struct check_result *r)
{
	struct cycles *cycles = calloc(1, sizeof(*cycles));
	int err = cycles ? graph_cycles(&r->set, &r->record, cycles) : -ENOMEM;

	if (!err) {
		judge_refusals(&r->refusals, &r->findings);
		judge_acts(&r->set, &r->record, &r->findings);
		judge_cycles(&r->set, cycles, &r->findings);
		context_judge(&r->set, &r->record, &r->findings);
		judge_unknown(&r->set, &r->record, &r->findings);
		findings_unique(&r->findings);
	}
	free(cycles);
	return r->findings.nomem ? -ENOMEM : err;
}

int check_all(struct check_result *r)
{
	int err = walk_each(r);

	err = err ?: judge(r);
	if (err == -ENOMEM)
		pr_err("out of memory");
	return err;
}

void check_result_free(struct check_result *r)
{
	findings_free(&r->findings);
	record_free(&r->record);
	refusals_free(&r->refusals);
	check_free(&r->set);
}
