// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "runs.h"

void lab_runs_merge(struct lab_runs *sum, const struct lab_runs *r)
{
	sum->taken += r->taken;
	histogram_merge(&sum->lengths, &r->lengths);
}

unsigned long long lab_owner_changes(const struct lab_runs *r)
{
	return r->lengths.count ? r->lengths.count - 1 : 0;
}
