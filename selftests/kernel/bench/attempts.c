// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/types.h>
#include <stdio.h>

#include "attempts.h"

struct attempts attempts_sum(const struct attempts *each)
{
	struct attempts sum = { 0 };

	for (int cpu = 0; cpu < ATTEMPTS_CPUS; cpu++) {
		histogram_merge(&sum.times, &each[cpu].times);
		sum.edeadlk += each[cpu].edeadlk;
		sum.etimedout += each[cpu].etimedout;
		sum.other += each[cpu].other;
	}
	return sum;
}

unsigned long long attempts_failed(const struct attempts *a)
{
	return a->edeadlk + a->etimedout + a->other;
}

void attempts_print(const struct attempts *a)
{
	histogram_print(&a->times);
	printf(", \"errors\": {\"EDEADLK\": %llu, \"ETIMEDOUT\": %llu, \"other\": %llu}",
	       (unsigned long long)a->edeadlk, (unsigned long long)a->etimedout,
	       (unsigned long long)a->other);
}
