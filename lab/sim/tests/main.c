// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/suites.h"

int main(void)
{
	return test_core() + test_locks() + test_jobs() + test_faults() ? 1 : 0;
}
