// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <unistd.h>

#include "away.h"

double stolen_ns(void)
{
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/stat", "r");

	if (!f)
		return 0;
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	fclose(f);
	return (double)ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

void stint_begin(struct stint *s)
{
	s->ready = shim_cycles();
	s->delay = shim_steal_clock();
	s->kept = 0;
}

static double stint_length(const struct stint *s)
{
	return cycles_to_ns(s->end - s->ready);
}

void stint_end(struct stint *s)
{
	if (stint_length(s) > RES_DEF_TIMEOUT / 2)
		s->kept = shim_steal_clock() - s->delay;
}

bool was_starved(const struct stint *const stints[], int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (stints[i]->kept > stint_length(stints[i]) * 0.95)
			return true;
	}
	return false;
}

double longest_absence(const struct stint *const stints[], int n)
{
	u64 start = ~0ULL, longest = 0;
	int i;

	for (i = 0; i < n; i++)
		start = min(start, stints[i]->start);
	for (i = 0; i < n; i++) {
		const struct stint *s = stints[i];

		longest = max(longest, s->end - s->back);
		if (!s->waits)
			longest = max(longest, s->call - start);
	}
	return cycles_to_ns(longest);
}
