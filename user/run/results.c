// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

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

void results_collect(struct role_result *results, const struct drive *d,
		     const struct sample_stats *stats)
{
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		const struct role *role = &d->roles[i];
		struct role_result *res = &results[i];
		const struct sample_stats *st;

		memset(res, 0, sizeof(*res));
		if (!stats) {
			res->counts = role->ret;
			res->ok = role->ret_ok;
			res->fail = role->ret_fail;
			continue;
		}
		st = &stats[slot_of(role)];
		res->counts = (struct counts){ st->ok, st->edeadlk, st->etimedout, st->other };
		hist_merge(&res->ok, st->hist_ok);
		hist_merge(&res->fail, st->hist_fail);
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
