// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "names/ksyms.h"
#include "names/slowpaths.h"

#define FUNCTION_MAX 16384 /* bytes, of the kernel's waiting functions */

static bool slowpath_find(struct ksyms *ks, const char *name, struct slowpath *found)
{
	__u64 start = ksyms_addr(ks, name), end = start, off;
	const char *here;
	bool data;

	if (!start)
		return false;
	do {
		here = ksyms_find(ks, ++end, &off, &data);
	} while (here && !strcmp(here, name) && end - start < FUNCTION_MAX);
	*found = (struct slowpath){ start, end };
	return true;
}

bool slowpaths_find(struct ksyms *ks, struct slowpath found[SLOWPATHS])
{
	static const char *const names[SLOWPATHS] = { "resilient_queued_spin_lock_slowpath",
						      "resilient_tas_spin_lock" };
	bool any = false;

	for (int i = 0; i < SLOWPATHS; i++)
		any |= slowpath_find(ks, names[i], &found[i]);
	return any;
}
