// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "events/counted.h"

bool counted_has(const struct counted *c, const char *name)
{
	for (int i = 0; i < c->nr; i++)
		if (!strncmp(c->names[i], name, COUNTED_NAME - 1))
			return true;
	return false;
}

bool counted_first(struct counted *c, const char *name)
{
	if (!*name)
		return true;
	if (counted_has(c, name))
		return false;
	if (c->nr < COUNTED_MAX)
		strncpy(c->names[c->nr++], name, COUNTED_NAME - 1);
	return true;
}
