// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "unit.h"

static struct unit_group *groups;

void unit_register(struct unit_group *group)
{
	group->next = groups;
	groups = group;
}

int main(void)
{
	size_t nr = 0;
	int failed = 0;

	for (const struct unit_group *g = groups; g; g = g->next) {
		int ret = g->run();

		nr += g->nr;
		failed += ret < 0 ? (int)g->nr : ret;
	}
	printf("%zu passed, %d failed, 0 skipped\n", nr - failed, failed);
	return failed || !nr;
}
