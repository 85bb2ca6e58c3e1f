// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "base/duration.h"

const char *format_ns(uint64_t ns, char buf[16])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = ns;
	unsigned int unit = 0;

	while (v >= 999.5 && unit < 3) {
		v /= 1000;
		unit++;
	}
	snprintf(buf, 16, "%.*f %s", !unit || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, units[unit]);
	return buf;
}
