// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include <linux/types.h>

#include "counted.h"
#include "run/results.h"

static unsigned int slot_of(const struct role *role)
{
	return role->cpu % SAMPLE_CPUS;
}

bool results_shared(const struct drive *d)
{
	bool used[SAMPLE_CPUS] = { false };

	for (unsigned int i = 0; i < d->nr_roles; i++) {
		if (used[slot_of(&d->roles[i])])
			return true;
		used[slot_of(&d->roles[i])] = true;
	}
	return false;
}

static void of_returns(struct role_result *res, const struct role *role)
{
	res->counts = role->ret;
	res->ok = role->ret_ok;
	res->fail = role->ret_fail;
}

static void of_stats(struct role_result *res, const struct sample_stats *st)
{
	res->counts = (struct counts){ st->ok, st->edeadlk, st->etimedout, st->other };
	hist_merge(&res->ok, st->hist_ok);
	hist_merge(&res->fail, st->hist_fail);
}

static void of_calls(struct role_result *res, const struct counted_calls *c)
{
	res->counts = (struct counts){ c->ok, c->edeadlk, c->etimedout, c->other };
}

void results_collect(struct role_result *results, const struct drive *d,
		     const struct results_from *from)
{
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		const struct role *role = &d->roles[i];
		struct role_result *res = &results[i];

		memset(res, 0, sizeof(*res));
		if (from->by == COUNTED_BY_RETURN)
			of_returns(res, role);
		else if (from->by == COUNTED_BY_PROGRAM)
			of_stats(res, &from->stats[slot_of(role)]);
		else if (from->by == COUNTED_BY_CALLS)
			of_calls(res, from->calls[i]);
		hist_merge_hist(&res->run, &role->ret_ok);
		hist_merge_hist(&res->run, &role->ret_fail);
	}
}

struct counts results_total(const struct role_result *results, unsigned int nr)
{
	struct counts sum = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		sum.ok += results[i].counts.ok;
		sum.edeadlk += results[i].counts.edeadlk;
		sum.etimedout += results[i].counts.etimedout;
		sum.other += results[i].counts.other;
	}
	return sum;
}
