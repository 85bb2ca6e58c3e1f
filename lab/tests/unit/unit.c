// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "unit.h"

int main(void)
{
	struct unit_sum sum = { 0 };

	shim_init(16);
	shim_yield_every = 200;
	unit_exclusion(&sum);
	unit_held(&sum);
	unit_histogram(&sum);
	unit_known(&sum);
	unit_order(&sum);
	unit_backoff(&sum);
	unit_cna(&sum);
	unit_vcpu(&sum);
	printf("%d passed, %d failed, 0 skipped\n", sum.tests - sum.failed, sum.failed);
	return sum.failed || !sum.tests;
}
