// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/suites.h"

int main(void)
{
	int failed = test_core() + test_locks() + test_jobs() + test_faults();

	if (test_c)
		failed += test_c();
	return failed ? 1 : 0;
}
